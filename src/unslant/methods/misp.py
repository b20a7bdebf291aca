"""MISP: weaken every axis of the names by its share of information about the groups."""

from itertools import permutations
from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import ExpressionError
from unslant.core.parameters import at_least
from unslant.core.types import Array
from unslant.erasers import EachVector, projection
from unslant.measures.registry import SPACE
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space

NAMES = "names(k=4)"


@debiaser(
    "misp",
    cites="dawkins-2021",
    guarantees={"linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="It weakens and removes nothing: the first axis of names explains about a sixth "
    "of the variance, so most of the direction stays, and direct bias may hardly "
    "change. The axes come from first names, which also carry age, region and "
    "ethnicity.",
)
class Misp:
    """Multi-dimensional information-weighted soft projection: weaken each axis of names.

        w' = w − Σᵢ aᵢⁿ (w·gᵢ) gᵢ

    gᵢ are the first axes of the differences between names (``subspace``), aᵢ their shares of
    variance, so each axis is weakened by its information, and none is removed. n is the
    ``exponent``: 0 removes every axis, as mhd does (Dawkins 2023 compares 0 and 1).
    ``assignment`` permutes the shares, for the ablation: ``2-1-3-4`` swaps the first
    two. The source does not say whether the differences are centred; centring would remove the
    direction between the groups, so they are not, unless ``subspace`` is
    ``"names(k=4, centred=true)"``.
    """

    subspace: str = NAMES
    assignment: str = ""
    exponent: Annotated[float, at_least(0)] = 1.0

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Estimate axes and weights."""
        found = estimate(self.subspace or None, vectors, concept, setting.policy)
        shares = np.array(found.weights)[_places(self.assignment, found.k)]
        return weakened(found, shares ** float(self.exponent))


@debiaser(
    "mhd",
    cites="dawkins-2021",
    guarantees={"removes-subspace", "idempotent", "linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="The axes are those of first names, which also carry age, region and ethnicity: "
    "removing them removes these too. As with every projection, what lies in other "
    "directions stays.",
)
class Mhd:
    """Multi-dimensional hard debiasing: MISP with all weights 1, so that each axis is removed.

        w' = w − Σᵢ (w·gᵢ) gᵢ over the axes gᵢ of names

    The axes are those of ``misp`` (``subspace``).
    """

    subspace: str = NAMES

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Estimate the axes."""
        found = estimate(self.subspace or None, vectors, concept, setting.policy)
        return weakened(found, np.ones(found.k))


def assignments(k: int) -> list[str]:
    """All assignments of k weights to k axes, the natural one first.

    >>> assignments(3)
    ['1-2-3', '1-3-2', '2-1-3', '2-3-1', '3-1-2', '3-2-1']
    """
    return ["-".join(map(str, order)) for order in permutations(range(1, k + 1))]


def weakened(subspace: Subspace, weights: Array) -> Fitted:
    """Remove each axis of a subspace from every word by its weight."""
    shown = {f"weight-of-axis-{n}": float(weight) for n, weight in enumerate(weights, 1)}
    return Fitted(
        steps=(EachVector(projection(subspace.basis, weights)),),
        removed=subspace.basis if (weights == 1).all() else None,
        words=subspace.words,
        details={"subspace": subspace.estimator, **shown},
        warnings=subspace.warnings,
    )


def _places(assignment: str, k: int) -> list[int]:
    if not assignment:
        return list(range(k))
    if assignment not in assignments(k):
        raise ExpressionError(
            f'The "assignment" parameter of misp must order the numbers 1 to {k}, as in '
            f"{assignments(k)[-1]}. Got {assignment} instead."
        )
    return [int(number) - 1 for number in assignment.split("-")]
