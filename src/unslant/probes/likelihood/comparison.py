"""Which words two sentences share, found in the texts, so that any model can be asked.

Word pieces differ between models; the words do not. A model then gets the text as it is with the
scored words marked, and finds their pieces by their offsets.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from unslant.core.errors import UnslantError
from unslant.models.language.tokens import WORD

Scored = Literal["shared", "changed", "all"]
"""Which words of a sentence are scored: those of both sentences, the others, or every one."""
_BRACKETS = ("[[", "]]")


@dataclass(frozen=True)
class Compared:
    """Two sentences, marked; ``changed`` are the words that differ, in either sentence."""

    more: str
    less: str
    changed: tuple[str, str]


def compared(more: str, less: str, scored: Scored) -> Compared:
    """Both sentences with the scored words marked.

    Words are compared as they are written. A word that only one sentence has is taken together
    with a neighbour among the changed words, so that both sides have some.

    >>> compared("The poor are here.", "The rich are here.", "shared").more
    '[[The]] poor [[are here.]]'
    """
    for text in (more, less):
        if any(sign in text for sign in _BRACKETS):
            raise UnslantError(f'"{text[:60]}" contains [[ or ]], which mark words. Remove them.')
    sides = [[match.span() for match in WORD.finditer(text)] for text in (more, less)]
    words = [[text[a:b] for a, b in spans] for text, spans in zip((more, less), sides, strict=True)]
    blocks = SequenceMatcher(None, *words, autojunk=False).get_opcodes()
    marked = []
    for side, (text, spans) in enumerate(zip((more, less), sides, strict=True)):
        ranges = [(block[1 + 2 * side], block[2 + 2 * side]) for block in blocks]
        is_shared = [block[0] == "equal" for block in blocks]
        wanted = [
            (spans[first][0], spans[last - 1][1])
            for (first, last), same in zip(ranges, is_shared, strict=True)
            if first < last and (scored == "all" or same == (scored == "shared"))
        ]
        marked.append(_marked(text, [(0, len(text))] if scored == "all" else wanted))
    changed = [_changed(words[side], blocks, side) for side in (0, 1)]
    return Compared(marked[0], marked[1], (changed[0], changed[1]))


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in spans:
        parts += [text[done:start], _BRACKETS[0], text[start:end], _BRACKETS[1]]
        done = end
    return "".join([*parts, text[done:]])


def _changed(words: Sequence[str], blocks: Sequence[tuple[str, int, int, int, int]], side: int) -> str:
    """The words of one sentence that differ, each once."""
    found: dict[str, None] = {}
    for tag, *ends in blocks:
        if tag == "equal":
            continue
        first, last = ends[2 * side], ends[2 * side + 1]
        if tag != "replace":  # one side has nothing: take a neighbour on both
            if last < len(words):
                last += 1
            else:
                first -= 1
        found[" ".join(words[max(0, first) : last])] = None
    return ", ".join(text for text in found if text)
