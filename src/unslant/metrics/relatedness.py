"""How well sentence vectors agree with what people find related."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.example import Example
from unslant.core.files import sha256_of_file
from unslant.core.measurement import Measurement
from unslant.core.parameters import Benchmark, at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.text_files import small_text
from unslant.core.types import Array
from unslant.datasets.benchmarks import benchmark_file
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.uncertainty import over_pairs
from unslant.numerics.correlation import SpearmanOfSamples
from unslant.vectors import Space, WordVectors

# Pairs of sentences that people rated, such as SICK.

_LARGEST_FILE = 256 << 20
_FIRST, _SECOND, _SCORE = "sentence_A", "sentence_B", "relatedness_score"
_COLUMNS = (_FIRST, _SECOND, _SCORE)


@dataclass(frozen=True)
class RatedSentences:
    """Two sentences and how related people found them."""

    first: str
    second: str
    score: float


def read_rated_sentences(path: Path) -> list[RatedSentences]:
    """The pairs in a tab-separated table in SICK's layout; other columns are ignored."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise FileFormatError(
            f"{path} is not a table of rated sentences. Expected tab-separated columns with the "
            f"names {', '.join(_COLUMNS)} in the first line, as in SICK."
        )
    pairs = [_pair(row, f"{path} line {rows.line_num:,}") for row in rows]
    if not pairs:
        raise FileFormatError(f"{path} contains nothing to evaluate.")
    return pairs


def _pair(row: dict[str, str | None], where: str) -> RatedSentences:
    first, second, text = ((row[name] or "").strip() for name in _COLUMNS)
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not first or not second or not math.isfinite(score):
        raise FileFormatError(
            f"{where}: expected two sentences and a number ({', '.join(_COLUMNS)}). Found "
            f"{first[:30]!r}, {second[:30]!r}, {text[:30]!r}."
        )
    return RatedSentences(first, second, score)


@metric(
    "relatedness",
    cites="marelli-2014",
    example=Example(of="MODEL@sentence", data="relatedness/sick-train"),
    takes="vectors",
    needs=SPACE,
    score=Score(
        better=LARGER,
        tells="quality",
        tolerated=0.02,
        range=Range(-1, 1),
        misleads="SICK's sentences are short captions that overlap in words, so that counting "
        "shared words already correlates well. Only differences on the same pairs count, and a "
        "model may have been trained on them.",
    ),
)
class Relatedness:
    """Spearman correlation of cosines of sentence vectors with how related people find them.

        Spearman's ρ of cos(v(a), v(b)) and the human score, over the pairs of sentences (a, b)

    ``dataset`` is sick-train (4,500 pairs), sick-trial (500 pairs) or a file in SICK's layout. Each
    distinct sentence is encoded once. A sentence whose vector is 0 has the cosine 0 with every
    other.
    """

    dataset: Annotated[str, Benchmark("relatedness")] = "sick-train"
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: object, setting: Setting) -> Measurement:
        """The correlation with its interval over pairs."""
        if isinstance(space, WordVectors):
            raise UnslantError(
                f"relatedness needs vectors of sentences, and {space.name} has vectors of words. "
                f"Measure a language model, or an encoder of sentences (us.space)."
            )
        path = benchmark_file("relatedness", self.dataset)
        pairs = read_rated_sentences(path)
        scores = np.array([pair.score for pair in pairs])
        cosines = _cosines(space, pairs)
        details: dict[str, float | int | str | None] = {
            "pairs": len(pairs),
            "sentences": len({side for pair in pairs for side in (pair.first, pair.second)}),
            "dataset-sha256": sha256_of_file(path),
        }
        title = f"Cosines of sentences against human relatedness of {self.dataset}"
        if len(pairs) < 3 or np.ptp(scores) == 0 or np.ptp(cosines) == 0:
            return Measurement(title=title, value=None, why_undefined=_WHY, details=details)
        statistic = SpearmanOfSamples(scores, cosines)
        interval, draws, _ = over_pairs(
            statistic,
            [len(pairs)],
            seed=self.seed,
            purpose=("relatedness", str(details["dataset-sha256"])),
            over="pairs",
        )
        return Measurement(
            title=title,
            value=float(statistic((np.arange(len(pairs))[None],))[0]),
            interval=interval,
            draws=draws,
            details={**details, "Pearson-correlation": float(np.corrcoef(scores, cosines)[0, 1])},
        )


_WHY = "there are fewer than three different pairs, or all have the same score or cosine"


def _cosines(space: Space, pairs: list[RatedSentences]) -> Array:
    sentences = list(dict.fromkeys(side for pair in pairs for side in (pair.first, pair.second)))
    rows = space.rows(sentences).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    place = {sentence: row for row, sentence in enumerate(sentences)}
    first = rows[[place[pair.first] for pair in pairs]]
    second = rows[[place[pair.second] for pair in pairs]]
    # Rounded, so that sentences paired with themselves are tied at 1 and not ordered by rounding.
    return np.asarray(np.round(np.einsum("ij,ij->i", first, second), 12))
