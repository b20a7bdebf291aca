"""Whether two spaces are the same one before and after a change."""

from collections.abc import Sequence

import numpy as np

from unslant.vectors import Space, WordVectors

_WORDS = 2_000
_LEAST_COSINE = 0.5


def shares_coordinates(space: Space, baseline: Space, measured: Sequence[str]) -> bool:
    """Whether the same words have similar vectors in both, component by component.

    Separately trained spaces have cosines around 0 between their vectors of the same word, and
    vectors before and after debiasing have cosines near 1: the median over the first shared words
    distinguishes the two cases. Without a vocabulary, the items measured are compared.
    """
    if space is baseline:
        return True
    items = list(space.words[:_WORDS]) if isinstance(space, WordVectors) else list(measured)
    shared = baseline.lookup(items, "exact").words
    if not shared:
        return False
    one, other = (each.rows(shared).astype(np.float64) for each in (space, baseline))
    if one.shape != other.shape:
        return False
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    is_defined = lengths > 0
    if not is_defined.any():
        return False
    cosines = np.einsum("ij,ij->i", one, other)[is_defined] / lengths[is_defined]
    return bool(np.median(cosines) >= _LEAST_COSINE)
