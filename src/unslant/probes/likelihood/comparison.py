"""Which words two sentences share, found in the texts, so that any model can be asked.

Word pieces differ between models; the words do not. A model then gets the text as it is with the
scored words marked, and finds their pieces by their offsets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from unslant.core.errors import UnslantError
from unslant.models.language.tokens import MARK, WORD

Scored = Literal["shared", "changed", "all"]
"""Which words of a sentence are scored: those of both sentences, the others, or every one."""
Span = tuple[int, int]
Block = tuple[str, int, int, int, int]
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
    first, second = ([match.span() for match in WORD.finditer(text)] for text in (more, less))
    one = [more[start:end] for start, end in first]
    other = [less[start:end] for start, end in second]
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    is_shared = [tag == "equal" for tag, *_ in blocks]
    in_one = [(start, end) for _, start, end, _, _ in blocks]
    in_other = [(start, end) for *_, start, end in blocks]
    changed = (_changed(one, blocks, in_one), _changed(other, blocks, in_other))
    if scored == "all":
        return Compared(f"[[{more}]]", f"[[{less}]]", changed)
    wanted = [same == (scored == "shared") for same in is_shared]
    return Compared(
        _marked(more, first, [span for span, is_in in zip(in_one, wanted, strict=True) if is_in]),
        _marked(
            less, second, [span for span, is_in in zip(in_other, wanted, strict=True) if is_in]
        ),
        changed,
    )


def scored_words(text: str) -> int:
    """How many words are marked.

    >>> scored_words("[[The]] poor [[are here.]]")
    4
    """
    return sum(len(WORD.findall(match[1])) for match in MARK.finditer(text))


def _marked(text: str, words: Sequence[Span], chosen: Sequence[Span]) -> str:
    """The text with runs of words marked; ``words`` are where each begins and ends."""
    parts, done = [], 0
    for first, last in chosen:
        if first < last:
            start, end = words[first][0], words[last - 1][1]
            parts += [text[done:start], _BRACKETS[0], text[start:end], _BRACKETS[1]]
            done = end
    return "".join([*parts, text[done:]])


def _changed(words: Sequence[str], blocks: Sequence[Block], spans: Sequence[Span]) -> str:
    """The words of one sentence that differ, as often as they do."""
    found = []
    for (tag, *_), (start, end) in zip(blocks, spans, strict=True):
        first, last = start, end
        if tag == "equal":
            continue
        if tag != "replace":  # one sentence has nothing here: take a neighbour in both
            first, last = (first, last + 1) if last < len(words) else (max(0, first - 1), last)
        found.append(" ".join(words[first:last]))
    return ", ".join(text for text in found if text)
