"""Whether two sets of vectors are the same space before and after a change."""

import numpy as np

from unslant.vectors import WordVectors

_WORDS = 2_000
_LEAST_COSINE = 0.5


def shares_coordinates(vectors: WordVectors, baseline: WordVectors) -> bool:
    """Whether the same words have similar vectors in both, component by component.

    Separately trained spaces have cosines around 0 between their vectors of the same word, and
    vectors before and after debiasing have cosines near 1: the median over the first shared words
    distinguishes the two cases.
    """
    if vectors is baseline:
        return True
    if vectors.dim != baseline.dim:
        return False
    rows = np.arange(min(_WORDS, len(vectors)))
    others = baseline.words.rows_of(list(vectors.words.take(rows)))
    one = vectors.rows(rows[others >= 0]).astype(np.float64)
    other = baseline.rows(others[others >= 0]).astype(np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    is_defined = lengths > 0
    if not is_defined.any():
        return False
    cosines = np.einsum("ij,ij->i", one, other)[is_defined] / lengths[is_defined]
    return bool(np.median(cosines) >= _LEAST_COSINE)
