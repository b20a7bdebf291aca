"""The sentences of WinoBias in pairs: with the pronoun of the stereotype and with the other."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from unslant.core.errors import FileFormatError
from unslant.core.text_files import small_text
from unslant.datasets.coreference.document import CorefDocument, Span, bracketed
from unslant.datasets.registry import find
from unslant.probes.coreference.probe import TextSet, spans_text

# WinoBias (Zhao et al. 2018): a numbered sentence in each line, its mentions in brackets.

_LARGEST_FILE = 64 << 20
_LINE = re.compile(r"(\d+)\s+(.+)")


def read_winobias(path: Path) -> list[CorefDocument]:
    """A document for each sentence, with one cluster: the occupation and its pronouns."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        parts = _LINE.fullmatch(line.strip())
        if not parts:
            raise FileFormatError(f"{path} line {number:,}: expected a number and a sentence.")
        try:
            words, mentions = bracketed(parts[2])
        except ValueError as error:
            raise FileFormatError(
                f"{path} line {number:,}: {error}. Expected mentions in brackets, such as [The "
                f"nurse]."
            ) from error
        if len(mentions) < 2:
            raise FileFormatError(
                f"{path} line {number:,}: {len(mentions)} mentions in brackets, expected an "
                f"occupation and a pronoun."
            )
        found.append(CorefDocument(parts[1], (words,), (tuple(mentions),)))
    if not found:
        raise FileFormatError(f"{path} contains no sentences.")
    return found


PRO, ANTI = "pro", "anti"
TYPES = ("type1", "type2")
_ABOUT = (
    "Sentences with two occupations and a pronoun that refers to one of them, once with the gender "
    "that most people in that occupation have and once with the other."
)


@dataclass(frozen=True)
class SentencePair:
    """Two versions of a sentence, and where the other occupation is in each, if it was found."""

    type: str
    pro: CorefDocument
    anti: CorefDocument
    others: tuple[Span | None, Span | None]

    @property
    def versions(self) -> tuple[CorefDocument, CorefDocument]:
        """Both, pro first."""
        return self.pro, self.anti

    def occupation(self, gender: str) -> str | None:
        """The occupation in which more women or more men work; None if it was not found."""
        named = (name for _, name in _occupations_in(self.pro.words))
        return next((name for name in named if occupations()[name] == gender), None)


def sentence_pairs(part: Literal["dev", "test"], types: tuple[str, ...] = TYPES) -> TextSet:
    """The pairs of both types, in the order of the files."""
    pairs: list[SentencePair] = []
    for kind in types:
        pro, anti = (
            read_winobias(find(f"winobias/{version}-{kind}-{part}")) for version in (PRO, ANTI)
        )
        if [one.name for one in pro] != [one.name for one in anti]:
            raise FileFormatError(
                f"The pro and anti sentences of WinoBias, {kind}, {part}, do not have the same "
                f"numbers. Expected the released files."
            )
        pairs += [
            SentencePair(kind, mine, theirs, (_other(mine), _other(theirs)))
            for mine, theirs in zip(pro, anti, strict=True)
        ]
    rows = tuple(
        (" ".join(one.words), pair.type, version, one.name, spans_text(one.clusters[0]))
        for pair in pairs
        for version, one in zip((PRO, ANTI), pair.versions, strict=True)
    )
    return TextSet(
        name=f"winobias-{part}",
        title=f"WinoBias, {part}",
        about=_ABOUT,
        columns=("words", "type", "version", "number", "mentions"),
        rows=rows,
        cites=("zhao-2018-winobias",),
        items=tuple(pairs),
        facts={"pairs": len(pairs), "part": part},
    )


def _other(document: CorefDocument) -> Span | None:
    """The occupation that the pronoun does not refer to, with its article."""
    right = set(range(*min(document.clusters[0])))
    for (begin, end), _ in _occupations_in(document.words):
        if begin not in right:
            return max(begin - 1, 0), end
    return None


def _occupations_in(words: Sequence[str]) -> Iterator[tuple[Span, str]]:
    for place in range(len(words)):
        for size in (1, 2):
            name = " ".join(words[place : place + size])
            if name in occupations():
                yield (place, place + size), name


@cache
def occupations() -> Mapping[str, str]:
    """All 40 occupations, with the gender that more of their employees have."""
    path = files("unslant.probes.winobias") / "data" / "occupations.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: gender for gender, names in table.items() for name in names}
