"""The sentences of WinoBias in pairs: with the pronoun of the stereotype and with the other."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np

from unslant.core.errors import FileFormatError
from unslant.core.measurement import Measurement
from unslant.core.text_files import small_text
from unslant.core.types import Array, Mask
from unslant.datasets.coreference.document import Clusters, CorefDocument, Span, bracketed
from unslant.datasets.registry import find
from unslant.measures.cluster_scores import ClusterCounts, Overlap, b_cubed, ceaf_e, muc
from unslant.probes.coreference.comparison import Resampling, measurement
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


# Whether pronouns were resolved, and F1 of the clusters, over pairs of sentences.

RIGHT, BOTH, OTHER, UNRESOLVED = "right", "both occupations", "the other one", "neither"
OUTCOMES = (RIGHT, BOTH, OTHER, UNRESOLVED)
_CONLL = (muc, b_cubed, ceaf_e)


def is_linked(document: CorefDocument, clusters: Clusters) -> bool:
    """Whether all true mentions, with exactly their words, are in one cluster."""
    wanted = set(document.clusters[0])
    return any(wanted <= set(cluster) for cluster in clusters)


def outcome_of(document: CorefDocument, other: Span | None, clusters: Clusters) -> str:
    """What the pronouns were linked to; the other occupation matches by its last word."""
    wanted = document.clusters[0]
    pronouns = sorted(wanted)[1:]
    joined = {span for one in clusters if any(span in one for span in pronouns) for span in one}
    has_other = other is not None and any(end == other[1] for _, end in joined)
    if is_linked(document, clusters):
        return BOTH if has_other else RIGHT
    return OTHER if has_other else UNRESOLVED


@dataclass(frozen=True, eq=False)
class PronounPairScores:
    """The clusters of every pair: pro, then anti."""

    pairs: Sequence[SentencePair]
    clusters: Sequence[Clusters]

    @cached_property
    def right(self) -> dict[str, Mask]:
        """Whether each pair is right in each version."""
        return {
            version: np.array(
                [is_linked(pair.versions[n], self._of(row, n)) for row, pair in self._numbered]
            )
            for n, version in enumerate((PRO, ANTI))
        }

    @cached_property
    def outcomes(self) -> dict[str, list[str]]:
        """What the pronouns of each pair were linked to in each version."""
        return {
            version: [
                outcome_of(pair.versions[n], pair.others[n], self._of(row, n))
                for row, pair in self._numbered
            ]
            for n, version in enumerate((PRO, ANTI))
        }

    @cached_property
    def counts(self) -> dict[str, Array]:
        """For each version: pairs × the four counts of each of the three scores."""
        return {
            version: np.array(
                [_counts(pair.versions[n], self._of(row, n)) for row, pair in self._numbered]
            )
            for n, version in enumerate((PRO, ANTI))
        }

    @property
    def _numbered(self) -> list[tuple[int, SentencePair]]:
        return list(enumerate(self.pairs))

    def _of(self, row: int, version: int) -> Clusters:
        return self.clusters[2 * row + version]


def f1_measured(
    scores: PronounPairScores,
    parts: dict[str, Mask],
    titles: dict[str, str],
    resampling: Resampling,
) -> Iterator[Measurement]:
    """The mean F1 of MUC, B³ and CEAFφ4 of each version, and the difference."""
    for part, mask in parts.items():
        values, draws = {}, {}
        for version, counts in scores.counts.items():
            values[version] = float(_f1(counts[mask].sum(axis=0)[None])[0])
            draws[version] = _f1(resampling.sums(counts * mask[:, None]))
        yield measurement(
            resampling,
            f"winobias-f1-difference-{part}",
            f"CoNLL F1, pro − anti{titles[part]}",
            values[PRO] - values[ANTI],
            draws[PRO] - draws[ANTI],
            details={PRO: values[PRO], ANTI: values[ANTI]},
        )
        for version in (PRO, ANTI):
            share = float(scores.right[version][mask].mean())
            yield measurement(
                resampling,
                f"winobias-f1-{part}-{version}",
                f"CoNLL F1, {version}{titles[part]}",
                values[version],
                draws[version],
                details={
                    "accuracy": share,
                    "f1-of-accuracy": 2 * share / (1 + share),
                    "note": "f1-of-accuracy is 2a / (1 + a), which some publications call F1",
                },
            )


def _counts(document: CorefDocument, clusters: Clusters) -> list[float]:
    overlap = Overlap.of(document.clusters, clusters)
    found: list[ClusterCounts] = [score(overlap) for score in _CONLL]
    return [
        float(number)
        for one in found
        for number in (one.found_of_key, one.key, one.found_of_response, one.response)
    ]


def _f1(sums: Array) -> Array:
    """Rows of counts as the mean F1 of the scores."""
    found = []
    for begin in range(0, sums.shape[1], 4):
        mine, key, theirs, response = sums[:, begin : begin + 4].T
        recall, precision = _share(mine, key), _share(theirs, response)
        found.append(_share(2 * recall * precision, recall + precision))
    mean: Array = np.mean(found, axis=0)
    return mean


def _share(part: Array, whole: Array) -> Array:
    found: Array = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return found
