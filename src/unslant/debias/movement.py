"""How many words a method changed, and how far they moved."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.numerics.chunks import row_blocks
from unslant.vectors import WordVectors

TURNED_DEGREES = 0.1
"""A vector has turned when its direction changed by more than this; less may be rounding."""
_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Movement:
    """What became of the vectors, word by word, in a few numbers.

    A method that scales every vector to length 1 changes all of them; which ones it ``turned`` is
    the more telling share. Angles are in degrees and leave out zero vectors.
    """

    words: int
    share_changed: float
    share_turned: float
    mean_degrees: float
    median_degrees: float
    degrees_of_95_percent: float
    most_degrees: float
    mean_length_ratio: float
    moved_most: tuple[Mapping[str, float | str], ...]

    def to_dict(self) -> dict[str, Any]:
        """The movement as plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), allow_nan=False))
        return plain


def movement(before: WordVectors, after: WordVectors, progress: Progress | None = None) -> Movement:
    """Compare each word's vector before and after; both must have the same words in order.

    Where components were dropped, the ones that are gone count as 0.
    """
    if before.words != after.words:
        raise UnslantError(f"{before.name} and {after.name} do not have the same words in order.")
    width = min(before.dim, after.dim)
    count = len(before)
    changed = 0
    degrees: NDArray[np.float64] = np.full(count, np.nan)
    ratios: NDArray[np.float64] = np.full(count, np.nan)
    for place in row_blocks(count, 8 * before.dim):
        old = before.matrix[place].astype(np.float64)
        new = after.matrix[place].astype(np.float64)
        is_same = (old[:, :width] == new[:, :width]).all(axis=1)
        if before.dim > width:
            is_same &= ~old[:, width:].any(axis=1)
        changed += int((~is_same).sum())
        lengths = np.linalg.norm(old, axis=1), np.linalg.norm(new, axis=1)
        known = (lengths[0] > 0) & (lengths[1] > 0)
        products = np.einsum("ij,ij->i", old[:, :width], new[:, :width])[known]
        cosines = np.clip(products / lengths[0][known] / lengths[1][known], -1, 1)
        degrees[place][known] = np.where(is_same[known], 0, np.degrees(np.arccos(cosines)))
        ratios[place][known] = lengths[1][known] / lengths[0][known]
        if progress:
            progress("Comparing", place.stop, count)
    is_known = ~np.isnan(degrees)
    angles = degrees[is_known] if is_known.any() else np.zeros(1)
    order = np.argsort(-np.where(is_known, degrees, -1), kind="stable")[:_SHOWN]
    return Movement(
        words=count,
        share_changed=changed / count,
        share_turned=float((angles > TURNED_DEGREES).sum() / count),
        mean_degrees=float(angles.mean()),
        median_degrees=float(np.median(angles)),
        degrees_of_95_percent=float(np.quantile(angles, 0.95)),
        most_degrees=float(angles.max()),
        mean_length_ratio=float(ratios[is_known].mean()) if is_known.any() else 1.0,
        moved_most=tuple(
            {"word": before.words[int(row)], "degrees": float(degrees[row])}
            for row in order
            if is_known[row] and degrees[row] > TURNED_DEGREES
        ),
    )
