"""Where in the space the attribute is: estimators of bias directions and subspaces."""

from unslant.subspaces import (  # importing an estimator registers it
    between_groups,
    names,
    principal_axes,
    random_direction,
)
from unslant.subspaces.estimator import ESTIMATORS, estimate, estimator_from
from unslant.subspaces.stability import stability
from unslant.subspaces.steadiness import Steadiness, steadiness
from unslant.subspaces.subspace import Subspace

__all__ = [
    "ESTIMATORS",
    "Steadiness",
    "Subspace",
    "estimate",
    "estimator_from",
    "stability",
    "steadiness",
]
