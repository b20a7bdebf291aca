"""How many words a method changed, and how far they moved."""

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.record import Moved, MovementFacts
from unslant.erasers.transform import Rows
from unslant.numerics.chunks import row_blocks
from unslant.vectors import WordVectors

TURNED_DEGREES = 0.1
"""A vector has turned if its direction changed by more than this; less may be rounding."""
_SHOWN = 10


class MovementTally:
    """Counts how vectors move while an eraser is applied, block by block."""

    def __init__(self, before: WordVectors) -> None:
        self._words = before.words
        self._changed = 0
        self._degrees: NDArray[np.float64] = np.full(len(before), np.nan)
        self._ratios: NDArray[np.float64] = np.full(len(before), np.nan)

    def add(self, place: slice, old: Rows, new: Rows) -> None:
        """Add a block of rows; dropped components count as 0."""
        width = min(old.shape[1], new.shape[1])
        old, new = old.astype(np.float64), new.astype(np.float64)
        is_same = (old[:, :width] == new[:, :width]).all(axis=1) & ~old[:, width:].any(axis=1)
        self._changed += int((~is_same).sum())
        lengths = np.linalg.norm(old, axis=1), np.linalg.norm(new, axis=1)
        known = (lengths[0] > 0) & (lengths[1] > 0)
        products = np.einsum("ij,ij->i", old[:, :width], new[:, :width])[known]
        cosines = np.clip(products / lengths[0][known] / lengths[1][known], -1, 1)
        self._degrees[place][known] = np.where(is_same[known], 0, np.degrees(np.arccos(cosines)))
        self._ratios[place][known] = lengths[1][known] / lengths[0][known]

    def result(self) -> MovementFacts:
        """The movement of all words."""
        count, is_known = len(self._degrees), ~np.isnan(self._degrees)
        angles = self._degrees[is_known] if is_known.any() else np.zeros(1)
        order = np.argsort(-np.where(is_known, self._degrees, -1), kind="stable")[:_SHOWN]
        return MovementFacts(
            words=count,
            share_changed=self._changed / count,
            share_turned=float((angles > TURNED_DEGREES).sum() / count),
            mean_degrees=float(angles.mean()),
            median_degrees=float(np.median(angles)),
            degrees_of_95_percent=float(np.quantile(angles, 0.95)),
            most_degrees=float(angles.max()),
            mean_length_ratio=float(self._ratios[is_known].mean()) if is_known.any() else 1.0,
            moved_most=tuple(
                Moved(word=self._words[int(row)], degrees=float(self._degrees[row]))
                for row in order
                if is_known[row] and self._degrees[row] > TURNED_DEGREES
            ),
        )


def movement(before: WordVectors, after: WordVectors) -> MovementFacts:
    """Compare each word's vector before and after; both must have the same words in order."""
    if before.words != after.words:
        raise UnslantError(
            f"{before.name} and {after.name} do not have the same words in the same order."
        )
    tally = MovementTally(before)
    for place in row_blocks(len(before), 8 * before.dim):
        tally.add(place, before.matrix[place], after.matrix[place])
    return tally.result()
