"""m(w), the association of a name with positive rather than negative sentences."""

from typing import Literal

import numpy as np

from unslant.core.types import Array

Formula = Literal["weighted-mean", "published", "released-code"]

_NOTHING = 1e-12


def associations(cosines: Array, weights: Array, counts: Array, formula: Formula) -> Array:
    """m of each name from Σ c·cos (… × 2 × names), Σ c (… × 2) and n (… × 2).

    "weighted-mean": Σ_A c·cos / Σ_A c − Σ_B c·cos / Σ_B c. "published" divides each mean by its
    number of sentences once more, as printed by Dutta (2019), so that both means shrink, the one
    over more sentences the most. "released-code" takes cosine distances, 1 − cos, so that the sign
    is the opposite. NaN if there are no positive or no negative sentences.
    """
    below = weights * counts if formula == "published" else weights
    below = np.where(weights > _NOTHING, below, np.nan)[..., None]
    means = cosines / below
    found = np.asarray(means[..., 0, :] - means[..., 1, :])
    return -found if formula == "released-code" else found
