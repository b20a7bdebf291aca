"""Half-sibling regression: remove what attribute words explain from all other words."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError, UnslantError
from unslant.core.parameters import above
from unslant.core.types import Array
from unslant.erasers import EachVector, linear_map
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import LEFT_ALONE, specific_words, use_of
from unslant.numerics.chunks import row_blocks
from unslant.numerics.linalg import ridge_residual
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors


@debiaser(
    "half-sibling",
    cites="yang-feng-2020",
    guarantees={"linear", "spares-specific-words", "needs-no-words"},
    acts_on=words_only(
        "leaves single words unchanged and removes what they explain from all others"
    ),
    misleads="The regression does not know the groups: it removes whatever the specific "
    "words share, such as being about people, and with many of them every direction "
    "shrinks. α depends on the length of the vectors.",
)
class HalfSibling:
    """Remove from each word what a ridge regression on the specific words explains.

        N' = N − D(DᵀD + αI)⁻¹DᵀN,  for one word x' = x α(αI + DDᵀ)⁻¹

    The columns of D are the words that carry the attribute by definition, those of N the others. No
    direction is needed; D itself is unchanged. ``keep`` names the list to use as D instead of all
    specific words.

    α (``alpha``) is in squared units of the vectors: 60 is weak for long vectors and strong for
    vectors of length 1, and its effect grows with the number of words in D. The regression has no
    intercept and does not know the groups: it first removes whatever the specific words share, such
    as being about people, and once D spans the space every direction shrinks. The details say by
    how much: "length left on average" is over all directions, "variance left along the direction"
    over the changed words and the concept's own direction.
    """

    alpha: Annotated[float, above(0)] = 60.0
    keep: str = ""

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Find the specific words and regress on them."""
        words = specific_words(concept, self.keep)
        use = use_of(vectors, words, LEFT_ALONE, setting.policy)
        rows = np.unique(vectors.words.rows_of(words))
        rows = rows[rows >= 0]
        definition = vectors.rows_at(rows).astype(np.float64)
        if not definition.any():
            raise DegenerateSubspaceError(
                f'half-sibling needs words that carry "{concept.name}" by definition, but '
                f"{vectors.name} contains none of them. Name a list of such words with keep."
            )
        matrix = ridge_residual(definition, self.alpha)
        direction, warnings = _direction(vectors, concept, setting.policy)
        left = None if direction is None else _variance_left(vectors, rows, matrix, direction)
        return Fitted(
            steps=(EachVector(linear_map(matrix), words),),
            words=(use, *(direction.words if direction else ())),
            details={
                "definition-words": len(rows),
                "alpha": float(self.alpha),
                "length-left-on-average": float(np.trace(matrix)) / vectors.dim,
                "direction": direction.estimator if direction else None,
                "variance-left-along-the-direction": left,
            },
            warnings=warnings,
        )


def _direction(
    vectors: WordVectors, concept: Concept, policy: WordPolicy
) -> tuple[Subspace | None, tuple[str, ...]]:
    """The concept's own direction, if it has one that these vectors determine."""
    if concept.direction is None:
        return None, ()
    try:
        return estimate(None, vectors, concept, policy), ()
    except UnslantError:
        return None, (
            f"the rest along {concept.direction} is unknown: it cannot be estimated here",
        )


def _variance_left(
    vectors: WordVectors, spared: NDArray[np.int64], matrix: Array, direction: Subspace
) -> float | None:
    """The variance of the changed words along the direction, after over before."""
    before = direction.basis.T
    axes = np.hstack([before, matrix @ before])
    sums, squares = np.zeros(axes.shape[1]), np.zeros(axes.shape[1])
    is_changed = np.ones(len(vectors), dtype=bool)
    is_changed[spared] = False
    for place in row_blocks(len(vectors), 8 * vectors.dim):
        parts = vectors.matrix[place][is_changed[place]].astype(np.float64) @ axes
        sums += parts.sum(axis=0)
        squares += (parts * parts).sum(axis=0)
    count = int(is_changed.sum())
    spread = squares - sums**2 / max(1, count)
    old, new = spread[: direction.k].sum(), spread[direction.k :].sum()
    return float(new / old) if old > 0 else None
