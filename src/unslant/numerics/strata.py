"""Random parts of labelled items, with the same share of every label in each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def parted(labels: Labels, shares: Sequence[float], rng: np.random.Generator) -> Labels:
    """The number of the part that each item belongs to; ``shares`` of the parts sum to 1.

    >>> import numpy as np
    >>> labels = np.repeat([0, 1], 10)
    >>> part = parted(labels, (0.5, 0.2, 0.3), np.random.default_rng(0))
    >>> np.bincount(part[labels == 1]).tolist()
    [5, 2, 3]
    """
    part = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        places = rng.permutation(np.flatnonzero(labels == label))
        ends = np.rint(np.cumsum(shares) * len(places)).astype(np.int64)
        ends[-1] = len(places)
        part[places] = np.searchsorted(ends, np.arange(len(places)), side="right")
    return part
