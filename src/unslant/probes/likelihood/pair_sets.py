"""Sets of sentence pairs: the more stereotyped sentence of each, and the less stereotyped one."""

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Literal

from unslant.core.errors import FileFormatError, UnknownNameError, UnslantError
from unslant.core.record import LeftOut, Subject
from unslant.core.references import reference
from unslant.core.text_files import small_text
from unslant.datasets.registry import find
from unslant.datasets.stereoset import WHYS, broken_gap, filler_of, find_stereoset, read_stereoset
from unslant.models.language.tokens import MARK, WORD

# The words two sentences share, found in the texts, independent of a model's tokens.
#
# Word pieces differ between models; the words do not. A model then gets the text as it is with
# the scored words marked, and finds their pieces by their offsets.

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


# CrowS-Pairs: sentences that differ in the group they are about (Nangia et al. 2020).

_LARGEST_FILE = 64 << 20
_MORE, _LESS, _DIRECTION, _KIND = "sent_more", "sent_less", "stereo_antistereo", "bias_type"
_COLUMNS = (_MORE, _LESS, _DIRECTION, _KIND)
DIRECTIONS = ("stereo", "antistereo")


@dataclass(frozen=True)
class CrowsPair:
    """Two sentences, of which the first is the more stereotyped; released files have empty ones.

    ``direction`` is "stereo" if the first is about the disadvantaged group, else "antistereo".
    """

    more: str
    less: str
    direction: str
    kind: str


def read_crows_pairs(path: Path) -> list[CrowsPair]:
    """The pairs in a comma-separated table in the published layout; other columns are ignored."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(
            f"{path} cannot be read: {error}. Expected UTF-8 text; convert another encoding, for "
            f"example with: iconv -f macintosh -t utf-8"
        ) from error
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise FileFormatError(
            f"{path} is not a table of sentence pairs. Expected comma-separated columns with the "
            f"names {', '.join(_COLUMNS)} in the first line, as in CrowS-Pairs."
        )
    try:
        found = [_pair(row, f"{path} line {rows.line_num:,}") for row in rows]
    except csv.Error as error:
        raise FileFormatError(f"{path} line {rows.line_num:,} is not CSV: {error}.") from error
    if not found:
        raise FileFormatError(f"{path} contains no pairs.")
    return found


def _pair(row: dict[str, str | None], where: str) -> CrowsPair:
    more, less, direction, kind = (" ".join((row[name] or "").split()) for name in _COLUMNS)
    if not (more or less) or not kind:
        raise FileFormatError(
            f"{where}: expected two sentences and a kind of bias ({_MORE}, {_LESS}, {_KIND}). "
            f"Found {more[:30]!r}, {less[:30]!r}, {kind[:30]!r}."
        )
    if direction not in DIRECTIONS:
        raise FileFormatError(
            f'{where}: "{_DIRECTION}" is {direction[:30]!r}; expected {" or ".join(DIRECTIONS)}.'
        )
    return CrowsPair(more, less, direction, kind)


CROWS, STEREOSET = "crows-pairs", "stereoset-intra"
_CONCEPTS = {"gender": "gender", "race": "race", "race-color": "race", "religion": "religion"}
_CITED = {CROWS: "nangia-2020", STEREOSET: "nadeem-2021"}


@dataclass(frozen=True)
class StereotypePair:
    """Two sentences with the kind of bias and the direction, if the set has one."""

    more: str
    less: str
    kind: str
    direction: str = ""


@dataclass(frozen=True, kw_only=True)
class SentencePairSet:
    """Pairs that can be scored, and what was left out."""

    name: str
    pairs: tuple[StereotypePair, ...]
    left_out: tuple[LeftOut, ...] = ()
    source: str = ""

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of bias, the most frequent first."""
        counted: dict[str, int] = {}
        for pair in self.pairs:
            counted[pair.kind] = counted.get(pair.kind, 0) + 1
        return tuple(sorted(counted, key=lambda kind: -counted[kind]))

    @property
    def concept(self) -> str:
        """The concept of the set, if it has a single kind of bias with one."""
        return _CONCEPTS.get(self.kinds[0], "") if len(self.kinds) == 1 else ""

    @cached_property
    def content_hash(self) -> str:
        """A hash of the pairs in their order."""
        rows = ("\x1f".join((p.more, p.less, p.kind, p.direction)) for p in self.pairs)
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        cited = _CITED.get(self.source, "")
        return Subject(
            kind="set",
            name=self.name,
            title="Pairs of a more and a less stereotyped sentence",
            about="Which sentence of each pair does a language model find more likely?",
            groups=self.kinds,
            references=(reference(cited),) if cited else (),
            sha256=self.content_hash,
            facts={"texts": 2 * len(self)},
        )


def pair_set(name: str, kinds: str = "", *, is_by_changed: bool = False) -> SentencePairSet:
    """CrowS-Pairs, the intra-sentence items of StereoSet, or a file in CrowS-Pairs' layout.

    ``kinds`` are the requested kinds of bias, separated by commas; without any, all. If
    ``is_by_changed``, the changed words are scored, and pairs without any on one side are left out.
    """
    source = STEREOSET if name == STEREOSET else (CROWS if name == CROWS else "")
    left_out: tuple[LeftOut, ...] = ()
    if source == STEREOSET:
        pairs, left_out = _stereoset()
    else:
        path = find("crows-pairs") if source else Path(name)
        pairs = [
            StereotypePair(p.more, p.less, p.kind, p.direction) for p in read_crows_pairs(path)
        ]
    known = tuple(dict.fromkeys(pair.kind for pair in pairs))
    wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    for kind in wanted:
        if kind not in known:
            raise UnknownNameError("kind of bias", kind, known)
    chosen = [pair for pair in pairs if pair.kind in wanted] if wanted else pairs
    usable, unusable = _usable(chosen, is_by_changed)
    called = Path(name).name if not source else name
    return SentencePairSet(
        name=" ".join([called, *wanted]),
        pairs=usable,
        left_out=(*left_out, *unusable),
        source=source,
    )


def _usable(
    pairs: Sequence[StereotypePair], is_by_changed: bool
) -> tuple[tuple[StereotypePair, ...], tuple[LeftOut, ...]]:
    """The pairs that differ in some words and share others; the rest are named."""
    kept, left_out = [], []
    for pair in pairs:
        why = _why_unusable(pair, is_by_changed)
        if why:
            left_out.append(LeftOut(what=pair.more or pair.less, why=why))
        else:
            kept.append(pair)
    if not kept:
        raise UnslantError("No pair of sentences differs in some words and shares others.")
    return tuple(kept), tuple(left_out)


def _why_unusable(pair: StereotypePair, is_by_changed: bool) -> str:
    """Why a pair cannot be scored, or the empty text."""
    if not (pair.more and pair.less):
        return "the other sentence is empty"
    found = compared(pair.more, pair.less, "shared")
    if "[[" not in found.more:
        return "the two sentences share no word"
    if not all(found.changed):
        return "the two sentences have the same words"
    if is_by_changed:
        own = compared(pair.more, pair.less, "changed")
        if not all("[[" in text for text in (own.more, own.less)):
            return "one sentence has no changed word: the other only adds to it"
    return ""


def _stereoset() -> tuple[list[StereotypePair], tuple[LeftOut, ...]]:
    """Stereotype and anti-stereotype of each intra-sentence item, both rebuilt from its context."""
    pairs, left_out = [], []
    for item in read_stereoset(find_stereoset()):
        if item.task != "intra":
            continue
        why = broken_gap(item)
        if why is not None:
            left_out.append(LeftOut(what=item.id, why=WHYS[why]))
            continue
        more, less = (
            item.context.replace("BLANK", filler_of(item.context, each.text) or "")
            for each in (item.stereotype, item.anti)
        )
        pairs.append(StereotypePair(more, less, item.domain))
    return pairs, tuple(left_out)


def directions(pairs: Iterable[StereotypePair]) -> tuple[str, ...]:
    """The directions that a set has, in their order."""
    return tuple(dict.fromkeys(pair.direction for pair in pairs if pair.direction))
