"""The words whose vectors point most nearly the same way."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unslant.core.errors import MissingWordsError, UndefinedMeasureError, UnslantError
from unslant.numerics.chunks import row_blocks

if TYPE_CHECKING:
    from unslant.vectors.wordvectors import WordVectors


def most_similar(
    vectors: "WordVectors",
    positive: str | Sequence[str],
    negative: str | Sequence[str] = (),
    count: int = 10,
) -> list[tuple[str, float]]:
    """The words nearest by cosine to the sum of unit vectors, some of them subtracted.

    The words asked about are left out. Nearest come first; equal cosines in the order of the
    vectors. Vectors are read block by block, so memory does not grow with the vocabulary.
    """
    plus, minus = ([side] if isinstance(side, str) else list(side) for side in (positive, negative))
    if not isinstance(count, int) or count < 1:
        raise UnslantError(f"count must be at least 1, not {count!r}.")
    if not plus and not minus:
        raise UnslantError('Name at least one word, as in vectors.most_similar("nurse").')
    asked = [*plus, *minus]
    rows = vectors.words.rows_of(asked)
    if (rows < 0).any():
        absent = [word for word, row in zip(asked, rows.tolist(), strict=True) if row < 0]
        raise MissingWordsError({"asked": absent}, vectors.name)
    units = vectors.rows_at(rows).astype(np.float64)
    lengths = np.linalg.norm(units, axis=1)
    if not lengths.all():
        word = asked[int(np.flatnonzero(lengths == 0)[0])]
        raise UndefinedMeasureError(f'"{word}" has the zero vector, which has no direction.')
    signs = np.array([1.0] * len(plus) + [-1.0] * len(minus))
    wanted = signs @ (units / lengths[:, None])
    if not (length := float(np.linalg.norm(wanted))) > 1e-9:
        raise UndefinedMeasureError("These words cancel out, so no word is nearest to them.")
    wanted /= length
    best_rows = np.empty(0, dtype=np.int64)
    best = np.empty(0)
    for block in row_blocks(len(vectors), 8 * vectors.dim):
        numbers = np.arange(block.start, block.stop)
        part = vectors.rows_at(numbers).astype(np.float64)
        norms = np.linalg.norm(part, axis=1)
        cosines = np.where(norms > 0, part @ wanted / np.where(norms > 0, norms, 1.0), -np.inf)
        # Rounded, so that words with the same vector tie and stay in the order of the file.
        cosines = np.round(cosines, 12)
        cosines[np.isin(numbers, rows)] = -np.inf
        best_rows, best = np.concatenate([best_rows, numbers]), np.concatenate([best, cosines])
        first = np.lexsort((best_rows, -best))[:count]
        best_rows, best = best_rows[first], best[first]
    return [
        (vectors.words[row], float(cosine))
        for row, cosine in zip(best_rows.tolist(), best.tolist(), strict=True)
        if np.isfinite(cosine)
    ]
