"""Biased analogies: the word pairs most similar to the two sides of a direction."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.vocabulary import Rows, frequent_words, plain_rows, unit_rows
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least, between
from unslant.core.score import SMALLER, Range, Score
from unslant.core.types import Matrix
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.numerics.chunks import row_blocks
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

# For every vector, the other vector whose difference from it is most parallel to an axis.

_BLOCK_BYTES = 16 << 20


def best_partners(
    units: Matrix, axis: Matrix, farthest: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each x the y with the largest cos(axis, x − y) among those within ``farthest`` of x.

    For unit vectors ‖x − y‖² = 2 − 2 x·y, so that no difference is formed. Equal vectors differ
    in no direction and score 0, as does an x without any y. The score and the place of y.
    """
    along = units @ axis
    scores = np.zeros(len(units))
    partners = np.zeros(len(units), dtype=np.int64)
    least = 2 * np.finfo(np.float32).eps * units.shape[1]  # what rounding leaves of equal vectors
    for rows in row_blocks(len(units), 4 * len(units), _BLOCK_BYTES):
        squares = units[rows] @ units.T
        squares *= -2
        squares += 2
        is_out = (squares > farthest**2) | (squares < least)
        np.sqrt(np.maximum(squares, least, out=squares), out=squares)
        differences = along[rows, None] - along[None]
        differences /= squares
        differences[is_out] = 0
        best = differences.argmax(axis=1)
        partners[rows] = best
        scores[rows] = differences[np.arange(len(best)), best]
    return scores, partners


_MOST_POINTS = 2_000


@metric(
    "biased-analogies",
    cites="bolukbasi-2016",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=SMALLER,
        range=Range(0, 1),
        misleads="Every space has some best pairs, biased or not: x and y must differ and be "
        "near. An analogy holds exactly only under conditions on co-occurrence that real pairs "
        "rarely meet, so the top pairs also depend on frequency and chance "
        "(Ethayarajh et al. 2019). Whether a pair is a stereotype is for people to judge: read "
        "the list.",
    ),
)
class BiasedAnalogies:
    """Mean score of the best analogies to the bias direction among words that should be neutral.

        score(x, y) = cos(g, x − y) if ‖x − y‖ ≤ δ, otherwise 0   (x and y of length 1)
        value = mean of the largest scores, each x with its best y

    x and y are plain words among the ``candidates`` most frequent ones, and δ is ``delta``; g is
    the direction ``subspace``, by default the concept's, which for she − he asks she : he :: x : y.
    Every x has only its best y, as in the paper (the authors' program also uses every y only once).
    The value is the mean over the ``top`` best pairs of words that are not in the concept itself;
    the best pairs with such words, such as queen : king, are listed separately.
    """

    subspace: str = ""
    delta: Annotated[float, between(0, 2)] = 1.0
    top: Annotated[int, between(1, _MOST_POINTS // 2)] = 150
    candidates: Annotated[int, at_least(1)] = 10_000

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The mean score, with the pairs."""
        title = f"Analogies to the {subject.name} direction"
        try:
            direction = estimate(self.subspace or None, vectors, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        axis = direction.one_axis("biased-analogies").astype(np.float32)
        neutral = frequent_words(vectors, vectors, subject, self.candidates)
        every = plain_rows(vectors.words, self.candidates)
        every = every[vectors.matrix[every].any(axis=1)]
        pairs = self._best(vectors, neutral.rows, axis)
        if not pairs:
            why = f"no two of these words are within {self.delta} of each other and score above 0"
            return Measurement.undefined(why, title=title, words=direction.words)
        best = self._best(vectors, every, axis)
        named = [pair for pair in best if not np.isin(pair[1:], neutral.rows).all()]
        warnings = direction.warnings
        if len(pairs) < self.top:
            warnings += (f"there are only {len(pairs):,} such pairs; {self.top:,} were requested",)
        return Measurement(
            title=title,
            value=float(np.mean([score for score, _, _ in pairs])),
            details={
                "direction": direction.estimator,
                "pairs": len(pairs),
                "mean-score-of-the-best-pairs-of-all-words": float(
                    np.mean([score for score, _, _ in best])
                ),
                "share-of-those-with-a-word-that-the-concept-names": len(named) / len(best),
                **neutral.details,
            },
            words=(*neutral.uses, *direction.words),
            points=tuple(
                {
                    "first": vectors.words[x],
                    "second": vectors.words[y],
                    "score": score,
                    "named-by-the-concept": told,
                }
                for told, chosen in (("no", pairs), ("yes", named))
                for score, x, y in chosen
            ),
            warnings=warnings,
        )

    def _best(self, vectors: WordVectors, rows: Rows, axis: Matrix) -> list[tuple[float, int, int]]:
        """The best pairs of some rows: the score and the rows of x and y, best first."""
        scores, partners = best_partners(unit_rows(vectors, rows), axis, self.delta)
        order = np.argsort(-scores, kind="stable")[: self.top]
        return [
            (float(scores[x]), int(rows[x]), int(rows[partners[x]]))
            for x in order[scores[order] > 0].tolist()
        ]
