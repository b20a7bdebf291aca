"""The most biased words on either side of a direction before debiasing."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.vocabulary import MOST_LISTED, Rows, frequent_words, unit_rows
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

FEWEST = 100
"""With fewer words per side, chance determines what a classifier or a clustering finds."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BiasedWords:
    """The same number of words on each side, the positive side first, the strongest first."""

    words: tuple[str, ...]
    rows: Rows
    is_positive: NDArray[np.bool_]
    projections: NDArray[np.float64]
    sides: tuple[str, str]
    uses: tuple[WordUse, ...]
    details: Mapping[str, float | int | str | None]
    warnings: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    def side(self, place: int) -> str:
        """The name of the side that a word leans to."""
        return self.sides[0 if self.is_positive[place] else 1]


def most_biased(
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy,
    *,
    by: str,
    subspace: str,
    n: int,
    vocabulary: int,
    baseline: WordVectors | None = None,
) -> BiasedWords:
    """The ``n`` words per side with the largest projections of unit vectors in the baseline.

    If the vocabulary has fewer, all words of the shorter side and as many of the other are used,
    with a warning. ``by`` is the method or measure that needs them.
    """
    baseline = baseline or vectors
    direction = estimate(subspace or None, baseline, concept, policy)
    axis = direction.one_axis(by)
    shared = frequent_words(vectors, baseline, concept, vocabulary)
    projections = unit_rows(baseline, shared.before) @ axis
    order = np.argsort(-projections, kind="stable")
    count = min(n, int((projections > 0).sum()), int((projections < 0).sum()))
    if count < FEWEST:
        raise UndefinedMeasureError(
            f"{vectors.name} has only {count} plain words that lean to one side of {concept.name}, "
            f"but at least {FEWEST} per side are needed. Use vectors with more words."
        )
    warnings = direction.warnings
    if count < n:
        warnings += (f"the vocabulary has only {count:,} words per side; {n:,} were requested",)
    chosen = np.concatenate([order[:count], order[::-1][:count]])
    words = tuple(shared.words.take(chosen))
    named = len(concept.groups) == 2
    sides = (concept.groups[0], concept.groups[1]) if named else ("positive", "negative")
    uses = direction.words + shared.uses
    if len(words) <= MOST_LISTED:
        uses += (WordUse(set="most biased words", used=words),)
    return BiasedWords(
        words=words,
        rows=shared.rows[chosen],
        is_positive=np.arange(2 * count) < count,
        projections=projections[chosen],
        sides=sides,
        uses=uses,
        details={
            "words-a-side": count,
            "direction": direction.estimator,
            "weakest-projection": float(np.abs(projections[chosen]).min()),
            **shared.details,
        },
        warnings=warnings,
    )


def probe_features(vectors: WordVectors, rows: Rows) -> NDArray[np.float64]:
    """Vectors scaled to length √d, so that components have a size of about 1 in every space."""
    return np.asarray(unit_rows(vectors, rows).astype(np.float64) * np.sqrt(vectors.dim))
