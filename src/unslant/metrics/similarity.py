"""How well cosines agree with human similarity judgements."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.example import Example
from unslant.core.files import sha256_of_file
from unslant.core.measurement import Measurement
from unslant.core.parameters import Benchmark, at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.types import Array
from unslant.datasets.benchmarks import RatedPair, benchmark_file, read_pairs
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.benchmark_words import BenchmarkWords, benchmark_words
from unslant.metrics.uncertainty import Influence, Spread, over_pairs
from unslant.numerics.correlation import SpearmanOfSamples
from unslant.vectors import WordVectors

_MOST_INFLUENTIAL = 10


@metric(
    "similarity",
    cites="faruqui-2014",
    example=Example(data="similarity/men"),
    takes="vectors",
    needs=VOCABULARY,
    score=Score(
        better=LARGER,
        tells="quality",
        tolerated=0.02,
        range=Range(-1, 1),
        misleads="Correlations on different numbers of pairs are not comparable, and several"
        " datasets mix similarity with relatedness (Hill et al. 2015). Differences of a few "
        "hundredths are within the interval of the smaller datasets.",
    ),
)
class Similarity:
    """Spearman correlation of cosines with human scores of the same word pairs.

        Spearman's ρ of cos(w, v) and the human score, over word pairs (w, v)

    ``dataset`` is rg-65, mturk-287, mturk-771, men, simlex-999, wordsim-353 or a file with two
    words and a number on each line. With ``on_missing=zero``, a pair with a missing word counts
    with the cosine 0; by default it is left out. Only the first ``restrict`` words of the vectors
    count (0 for all). ``case`` is ``ignore`` (the first word that is equal in upper case) or
    ``exact``.
    """

    dataset: Annotated[str, Benchmark("similarity")] = "men"
    on_missing: Literal["drop", "zero"] = "drop"
    restrict: Annotated[int, at_least(0)] = 300_000
    case: Literal["ignore", "exact"] = "ignore"
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: object, setting: Setting) -> Measurement:
        """The correlation with its interval, and the cosine of every covered pair."""
        path = benchmark_file("similarity", self.dataset)
        every = read_pairs(path)
        benchmark = benchmark_words(
            vectors,
            [word for pair in every for word in (pair.first, pair.second)],
            name=self.dataset,
            restrict=self.restrict,
            case=self.case,
        )
        cosines, is_covered = _cosines(benchmark, every)
        keep = is_covered if self.on_missing == "drop" else np.ones(len(every), dtype=bool)
        pairs = [every[number] for number in np.flatnonzero(keep).tolist()]
        cosines = cosines[keep]
        scores = np.array([pair.score for pair in pairs])
        value, (interval, draws), influence = self._correlation(scores, cosines, pairs)
        return Measurement(
            title=f"Cosines against human scores of {self.dataset}",
            value=value,
            why_undefined="" if value is not None else _WHY,
            interval=interval,
            draws=draws,
            influence=influence,
            details={
                "pairs": len(every),
                "pairs-covered": int(is_covered.sum()),
                "share-covered": float(is_covered.mean()),
                "Pearson-correlation": None if value is None else _pearson(scores, cosines),
                "dataset-sha256": sha256_of_file(path),
            },
            words=(benchmark.use,),
            points=tuple(
                {"pair": _format_pair(pair), "human": pair.score, "cosine": float(cosine)}
                for pair, cosine in zip(pairs, cosines, strict=True)
            ),
            warnings=benchmark.warnings,
        )

    def _correlation(
        self, scores: Array, cosines: Array, pairs: list[RatedPair]
    ) -> tuple[float | None, Spread, Influence]:
        if len(pairs) < 3 or np.ptp(scores) == 0 or np.ptp(cosines) == 0:
            return None, (None, None), ()
        statistic = SpearmanOfSamples(scores, cosines)
        value = float(statistic((np.arange(len(pairs))[None],))[0])
        interval, draws, by_group = over_pairs(
            statistic,
            [len(pairs)],
            seed=self.seed,
            purpose=("similarity", self.dataset),
            over="pairs",
        )
        if not by_group:
            return value, (None, None), ()
        [without] = by_group
        strongest = np.argsort(-np.abs(without - value), kind="stable")[:_MOST_INFLUENTIAL]
        influence: Influence = tuple(
            {"word": _format_pair(pairs[n]), "set": self.dataset, "without": float(without[n])}
            for n in strongest.tolist()
        )
        return value, (interval, draws), influence


_WHY = "fewer than three different pairs are covered, or all have the same score or cosine"


def _cosines(found: BenchmarkWords, pairs: list[RatedPair]) -> tuple[Array, NDArray[np.bool_]]:
    """The cosine of each pair, 0 if a word is missing, and which pairs are covered."""
    rows = found.rows([(pair.first, pair.second) for pair in pairs])
    is_covered = np.asarray((rows >= 0).all(axis=1))
    first, second = (
        found.vectors.rows_at(rows[is_covered, side]).astype(np.float64) for side in (0, 1)
    )
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines = np.zeros(len(pairs))
    # Rounded, so that words paired with themselves are tied at 1 and not ordered by rounding.
    cosines[is_covered] = np.round(np.einsum("ij,ij->i", first, second) / lengths, 12)
    return cosines, is_covered


def _pearson(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def _format_pair(pair: RatedPair) -> str:
    return f"{pair.first} – {pair.second}"
