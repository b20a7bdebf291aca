"""Which neighbours of a word are close because of bias, shared by proximity bias and GIPE."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.vocabulary import (
    MOST_FREQUENT,
    Rows,
    SharedWords,
    frequent_words,
    joined,
    listed_words,
    unit_rows,
)
from unslant.core.types import Matrix
from unslant.measures.setting import Setting
from unslant.numerics.linalg import subspace_share
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import WordVectors


@dataclass(frozen=True, eq=False, kw_only=True)
class Neighbourhoods:
    """For each word, the share of biased neighbours and how often it is a neighbour itself."""

    words: SharedWords
    candidates: SharedWords
    neighbours: int
    shares: NDArray[np.float64]
    incoming: Rows
    biased_incoming: Rows
    undefined_pairs: int
    subspace: Subspace
    warnings: tuple[str, ...]


def biased_neighbourhoods(
    vectors: WordVectors,
    concept: Concept,
    setting: Setting,
    *,
    words: str,
    vocabulary: int,
    n: int,
    threshold: float,
    subspace: str,
) -> Neighbourhoods:
    """Neighbours in ``vectors``, their indirect bias and the direction in the baseline.

    Neighbours are searched for among the plain words of the ``vocabulary`` most frequent ones and
    the words themselves. A pair without a defined indirect bias counts as unbiased.
    """
    baseline = setting.vectors_before(vectors)
    direction = estimate(subspace or None, baseline, concept, setting.policy)
    chosen = candidates = frequent_words(vectors, baseline, concept, vocabulary)
    queries = np.arange(len(candidates))
    if words != MOST_FREQUENT:
        chosen = listed_words(vectors, baseline, concept, words, setting.policy)
        candidates, queries = joined(candidates, chosen)
    after = unit_rows(vectors, candidates.rows)
    before = after if baseline is vectors else unit_rows(baseline, candidates.before)
    inside = before @ direction.basis.T.astype(np.float32)
    shares = np.empty(len(queries))
    incoming = np.zeros(len(candidates), dtype=np.int64)
    biased_incoming = np.zeros(len(candidates), dtype=np.int64)
    undefined = 0
    lists = setting.neighbours(after, queries, n, neighbour_progress(setting))
    for places, near, cosines in lists:
        asked = queries[places]
        if before is not after:
            cosines = _cosines(before, asked, near)
        owed, is_defined = subspace_share(cosines, inside[asked, None], inside[near])
        is_biased = owed > threshold
        is_biased &= is_defined
        shares[places] = is_biased.mean(axis=1)
        incoming += np.bincount(near.ravel(), minlength=len(candidates))
        biased_incoming += np.bincount(near[is_biased], minlength=len(candidates))
        undefined += int((~is_defined).sum())
    count = min(n, len(candidates) - 1)
    warnings = direction.warnings
    if count < n:
        warnings += (f"only {count:,} words can be neighbours; {n:,} were requested",)
    return Neighbourhoods(
        words=chosen,
        candidates=candidates,
        neighbours=count,
        shares=shares,
        incoming=incoming[queries],
        biased_incoming=biased_incoming[queries],
        undefined_pairs=undefined,
        subspace=direction,
        warnings=warnings,
    )


def neighbour_progress(setting: Setting) -> Callable[[int, int], None] | None:
    """The setting's progress under the name of this step."""
    progress = setting.progress
    return (lambda done, total: progress("Finding neighbours", done, total)) if progress else None


def _cosines(units: Matrix, asked: Rows, near: Rows) -> Matrix:
    """The cosine of each requested row with each of its neighbours, one small product per row."""
    return np.asarray((units[near] @ units[asked][:, :, None])[:, :, 0])
