"""The sentences of WinoBias in pairs: with the pronoun of the stereotype and with the other."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from unslant.core.errors import FileFormatError
from unslant.datasets.coreference.document import CorefDocument, Span
from unslant.datasets.coreference.winobias import read_winobias
from unslant.datasets.registry import find
from unslant.probes.coreference.probe import TextSet, spans_text

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
    words = document.words
    right = set(range(*min(document.clusters[0])))
    for place in range(len(words)):
        for size in (1, 2):
            if " ".join(words[place : place + size]) in occupations() and place not in right:
                return max(place - 1, 0), place + size
    return None


@cache
def occupations() -> frozenset[str]:
    """All 40 occupations."""
    path = files("unslant.probes.winobias") / "data" / "occupations.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return frozenset(name for names in table.values() for name in names)
