"""Recall of each name, on all sentences and on resamples of sentences and names.

Names carry the group and sentences are repeated for each, so both are resampled, independently of
each other: sentences with all their mentions, and the names of each group of all attributes crossed
from themselves (see ``numerics/bootstrap.py``).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.name_table import CROSSED, NameTable, crossed
from unslant.core.seeds import generator
from unslant.core.types import Array, Numbers
from unslant.numerics.bootstrap import stratified_counts
from unslant.numerics.chunks import one_blas_thread

_AT_ONCE = 100
"""Resamples of sentences that are in memory at the same time."""


@dataclass(frozen=True)
class Recalls:
    """How often each name was found: ``hits`` of ``mentions``, and ``own`` names as often.

    On each resample of sentences, ``drawn_hits`` (resamples × names) of ``drawn_mentions`` were
    found, and ``own_draws`` is the recall of the corpus' own names; ``weights`` is how often each
    name is drawn. ``key`` is the same for all that was resampled in the same way.
    """

    table: NameTable
    mentions: int
    hits: Numbers
    own: int
    drawn_hits: Array
    drawn_mentions: Array
    own_draws: Array
    weights: Array
    key: str

    def places(self, names: tuple[str, ...]) -> list[int]:
        """The numbers of names."""
        known = {name: place for place, name in enumerate(self.table.names)}
        return [known[name] for name in names]

    def recall(self, names: tuple[str, ...]) -> float:
        """The share of mentions that were found with these names."""
        return float(self.hits[self.places(names)].sum() / (self.mentions * len(names)))

    def drawn(self, names: tuple[str, ...]) -> Array:
        """The same on every resample of sentences and names."""
        places = self.places(names)
        weights = self.weights[:, places]
        hits = (self.drawn_hits[:, places] * weights).sum(axis=1)
        # Whole numbers up to here, so that equal recalls are equal to the last bit.
        found: Array = hits / (weights.sum(axis=1) * self.drawn_mentions)
        return found

    @property
    def draws(self) -> Array:
        """The recall of each name on resamples of sentences: resamples × names."""
        return self.drawn_hits / self.drawn_mentions[:, None]

    def strata(self, by: str) -> Numbers:
        """A number for each name: names with the same values of all attributes but those in ``by``.

        A test of one attribute permutes names within these, so that it does not depend on others.
        """
        others = [one for one in self.table.attributes if one not in crossed(by)]
        return _numbered(self.table, others)


def recalls(
    table: NameTable,
    is_found: NDArray[np.bool_],
    own: NDArray[np.bool_],
    sentences: Numbers,
    *,
    key: str,
    seed: int,
    resamples: int,
) -> Recalls:
    """Count what was found (slots × names; own names: slots), and resample it."""
    begins = np.flatnonzero(np.diff(sentences, prepend=-1))
    columns = np.concatenate([is_found, own[:, None], np.ones_like(own)[:, None]], axis=1)
    counts = np.add.reduceat(columns.astype(np.float64), begins, axis=0)
    rng = generator(seed, "name swap", key)
    weights = stratified_counts(_numbered(table, table.attributes), resamples, rng)
    sums = np.empty((resamples, is_found.shape[1] + 2))
    one_stratum = np.zeros(len(counts), dtype=np.int64)
    with one_blas_thread():  # the same bits on any number of cores
        for begin in range(0, resamples, _AT_ONCE):
            size = min(_AT_ONCE, resamples - begin)
            drawn = stratified_counts(one_stratum, size, rng).astype(np.float64)
            sums[begin : begin + size] = drawn @ counts
    return Recalls(
        table=table,
        mentions=len(sentences),
        hits=is_found.sum(axis=0, dtype=np.int64),
        own=int(own.sum()),
        drawn_hits=sums[:, :-2],
        drawn_mentions=sums[:, -1],
        own_draws=sums[:, -2] / sums[:, -1],
        weights=weights.astype(np.float64),
        key=f"name swap {key} {seed} {resamples}",
    )


def _numbered(table: NameTable, attributes: tuple[str, ...] | list[str]) -> Numbers:
    if not attributes:
        return np.zeros(len(table), dtype=np.int64)
    groups = table.groups(CROSSED.join(attributes))
    number = {name: place for place, names in enumerate(groups.values()) for name in names}
    return np.array([number[name] for name in table.names], dtype=np.int64)
