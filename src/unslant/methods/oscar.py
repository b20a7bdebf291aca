"""OSCaR: make two concepts orthogonal by a rotation, without removing either."""

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.types import Array
from unslant.erasers import EachVector, GradedRotation
from unslant.measures.registry import SPACE
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.numerics.linalg import safe_angle
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space

SMALLEST_ANGLE = 1e-4
"""Directions of float32 words closer than this (in radians) span no reliable plane."""


@debiaser(
    "oscar",
    cites="dev-2021",
    guarantees={"orthogonalises", "keeps-length", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="Only the correlation of two directions is removed. Nothing is erased: every "
    "word keeps its gender, and neutral words still reveal the attribute if it "
    "separates them in directions other than v2.",
)
class Oscar:
    """Rotate every word so that the attribute and another concept become orthogonal.

        w' = w rotated in the plane of v1 and v2 by (90° − θ') · min(α/θ', (180° − α)/(180° − θ'))
        θ' = angle of v1 and v2,  α = angle from v1 of w's part in the plane

    With v1 the direction ``subspace`` (the concept's own by default), v2 the direction ``against``
    (by default the first axis of the concept's first neutral list) θ' ≤ 90° is the angle of their
    lines, and α in [0°, 180°) that of the line that the word's part in the plane lies on. A word is
    rotated only in this plane. So v1 stays, v2 becomes orthogonal to it, and everything in between
    rotates in proportion. If a subspace has several axes, the pair of axes with the largest
    |cosine| is used.

    The authors' first program and AllenNLP's swap the two angles of the formula and give a right
    angle only from 45°; the formula here is the corrected one.
    """

    subspace: str = ""
    against: str = ""

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Estimate both directions."""
        against = self.against or _first_neutral(concept)
        first = estimate(self.subspace or None, vectors, concept, setting.policy)
        second = estimate(against, vectors, concept, setting.policy)
        kept, turned, angle = closest_axes(first, second)
        warnings = (*first.warnings, *second.warnings)
        if abs(angle - np.pi / 2) < 1e-9:
            warnings += ("the two directions are already orthogonal, so nothing changes",)
        return Fitted(
            steps=(EachVector(GradedRotation(kept, turned)),),
            words=(*first.words, *second.words),
            details={
                "subspace": first.estimator,
                "against": second.estimator,
                "angle-before,-degrees": float(np.degrees(angle)),
            },
            warnings=warnings,
        )


def closest_axes(first: Subspace, second: Subspace) -> tuple[Array, Array, float]:
    """The axes with the largest |cosine|, the second flipped to be on the first's side, and θ'."""
    cosines = first.basis @ second.basis.T
    i, j = np.unravel_index(np.abs(cosines).argmax(), cosines.shape)
    kept, turned = first.basis[i], second.basis[j] * (-1.0 if cosines[i, j] < 0 else 1.0)
    angle = safe_angle(kept, turned)
    if angle < SMALLEST_ANGLE:
        raise DegenerateSubspaceError(
            f"oscar cannot separate {first.estimator} and {second.estimator}: they are the same "
            f"direction. Choose another one with against=…"
        )
    return kept, turned, angle


def _first_neutral(concept: Concept) -> str:
    if not concept.neutral:
        raise ExpressionError(
            f'oscar rotates neutral words away from the attribute, but "{concept.name}" has none. '
            f'Name an estimator for them, as in oscar(against="set-pca(LIST)").'
        )
    return f"set-pca({next(iter(concept.neutral))})"
