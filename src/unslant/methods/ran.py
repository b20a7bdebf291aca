"""RAN-Debias: move each word away from neighbours that are close because of the attribute."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.vocabulary import frequent_words, unit_rows
from unslant.core.example import Example
from unslant.core.parameters import above, at_least
from unslant.core.types import Matrix
from unslant.erasers import EachVector, TheseWords, UnitLength
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import LEFT_ALONE, all_names, cased, specific_words, use_of
from unslant.numerics.chunks import one_blas_thread, ordered_parallel
from unslant.numerics.descent import Repulsion
from unslant.numerics.linalg import subspace_share
from unslant.numerics.neighbours import top_cosines
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

Rows = NDArray[np.int64]

_BATCH = 256
"""Words per batch: smaller batches need more calls (128 and 512 were equally fast, 32 slower)."""


@debiaser(
    "ran",
    cites="kumar-2020",
    example=Example(call="ran(vocabulary=5000)", quick=True),
    guarantees={"unit-length", "spares-specific-words"},
    acts_on=words_only(
        "scales vectors to length 1 and moves single words away from their neighbours"
    ),
    misleads="It moves one word at a time away from a list of neighbours and keeps it near "
    "its old place, so much of the attribute stays: a classifier still recovers "
    "the side of 85 to 92 % of the most biased words (GloVe, word2vec). Words beyond "
    "the vocabulary limit change only in length.",
)
class RanDebias:
    """Repulsion, attraction and neutralisation: move each word away from its biased neighbours.

        x = argmin repulsion · mean over S of |cos(x, s)| + attraction · |cos(x, w) − 1|/2
                   + neutralisation · ‖part of x in the subspace‖

    Vectors are scaled to length 1. Each plain word w among the first ``vocabulary``, except the
    concept's names and words that carry the attribute by definition, becomes x, by ``steps`` steps
    of Adam from w, and is scaled to length 1. S are those of the ``neighbours``
    nearest words of w whose indirect bias β is at least ``threshold``; without any, that term is 0.
    They are searched for among the first ``vocabulary`` words, including the concept's own, not in
    the entire file. ``subspace`` is the concept's direction by default.

    At a constant ``learning_rate``, as published, Adam keeps stepping across the kinks of the
    objective and leaves some words worse than before, mostly those that had little to lose (6.8 %
    of the words of GloVe 100d, against 0.1 % with a rate that falls linearly, as it does here
    unless ``decay`` is false). The authors' program gives neutralisation the weight of
    attraction (6/8); we follow the paper (1/8). Its choice of words by dictionary
    definitions is replaced by the concept's lists. Other words only change their length.
    """

    attraction: Annotated[float, at_least(0)] = 0.75
    repulsion: Annotated[float, at_least(0)] = 0.125
    neutralisation: Annotated[float, at_least(0)] = 0.125
    neighbours: Annotated[int, at_least(1)] = 100
    threshold: float = 0.05
    steps: Annotated[int, at_least(1)] = 300
    learning_rate: Annotated[float, above(0)] = 0.01
    decay: bool = True
    vocabulary: Annotated[int, at_least(1)] = 30_000
    subspace: str = ""

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Find the neighbours, then the new vectors."""
        subspace = estimate(self.subspace or None, vectors, concept, setting.policy)
        spared = (*specific_words(concept), *cased(all_names(concept)))
        kept = use_of(vectors, spared, LEFT_ALONE, setting.policy)
        chosen = frequent_words(vectors, vectors, concept, self.vocabulary, but=spared)
        candidates = np.flatnonzero(vectors.matrix[: self.vocabulary].any(axis=1))
        units = unit_rows(vectors, candidates)
        queries = np.searchsorted(candidates, chosen.rows)
        basis = subspace.basis.astype(np.float32)
        near, counts = self._biased_neighbours(units, queries, basis, setting)
        # Words with equally many neighbours are grouped, so that batches need little padding.
        order = np.argsort(-counts, kind="stable")
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
        after = np.empty((len(queries), vectors.dim), dtype=np.float32)
        is_lower = np.zeros(len(queries), dtype=bool)
        total = np.zeros(2)

        def moved(batch: Rows) -> tuple[Rows, Matrix, NDArray[np.float64]]:
            width = int(counts[batch[0]])
            places = near[batch, :width]
            problem = Repulsion(
                starts=units[queries[batch]],
                others=units[places] * (places >= 0)[:, :, None],
                counts=counts[batch],
                basis=basis,
                repel=self.repulsion,
                attract=self.attraction,
                neutralise=self.neutralisation,
            )
            minimum = problem.minimised(self.steps, self.learning_rate, decay=self.decay)
            return (
                batch,
                minimum,
                np.stack([problem.values(problem.starts), problem.values(minimum)]),
            )

        done = 0
        with one_blas_thread():
            for batch, found, values in ordered_parallel(moved, batches):
                after[batch], is_lower[batch] = found, values[1] < values[0]
                total += values.sum(axis=1)
                done += len(batch)
                if setting.progress:
                    setting.progress("Moving words", done, len(queries))
        return Fitted(
            steps=(
                EachVector(UnitLength()),
                TheseWords(tuple(chosen.words), after.astype(np.float64)),
            ),
            words=(*subspace.words, *chosen.uses, kept),
            details={
                "subspace": subspace.estimator,
                "words-moved": len(queries),
                "words-left-alone": len(kept.used),
                "words-with-biased-neighbours": int((counts > 0).sum()),
                "mean-number-of-biased-neighbours": float(counts.mean()),
                "share-of-words-whose-objective-was-lowered": float(is_lower.mean()),
                "mean-objective-before": float(total[0] / len(queries)),
                "mean-objective-after": float(total[1] / len(queries)),
                "mean-cosine-with-the-word-before": float(
                    np.einsum("ij,ij->i", after, units[queries]).mean(dtype=np.float64)
                ),
                **chosen.details,
            },
            warnings=subspace.warnings,
        )

    def _biased_neighbours(
        self, units: Matrix, queries: Rows, basis: Matrix, setting: FitSetting
    ) -> tuple[Rows, Rows]:
        """For each query its biased neighbours, padded with −1, and their number."""
        report = setting.progress
        inside = units @ basis.T
        near = np.full((len(queries), min(self.neighbours, len(units) - 1)), -1, dtype=np.int64)
        counts = np.zeros(len(queries), dtype=np.int64)
        for places, rows, cosines in top_cosines(
            units,
            queries,
            self.neighbours,
            (lambda done, total: report("Finding neighbours", done, total)) if report else None,
        ):
            owed, is_defined = subspace_share(cosines, inside[queries[places], None], inside[rows])
            is_biased = is_defined & (owed >= self.threshold)
            first = np.argsort(~is_biased, axis=1, kind="stable")
            kept = np.where(is_biased, rows, -1)
            near[places] = np.take_along_axis(kept, first, axis=1)
            counts[places] = is_biased.sum(axis=1)
        return near, counts
