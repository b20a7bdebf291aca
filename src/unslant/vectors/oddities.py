"""Unusual content in a vectors file: not a reason to refuse it, but worth a note."""

import numpy as np
from numpy.typing import NDArray

from unslant.numerics.ragged import Ragged
from unslant.vectors.formats.layout import BOM

_EXTREME = 1e6


def count_extreme(matrix: NDArray[np.float32]) -> int:
    """How many rows contain a finite number too large for any trained vector."""
    if not len(matrix) or max(matrix.max(), -matrix.min()) <= _EXTREME:
        return 0
    return int((np.abs(matrix) > _EXTREME).any(axis=1).sum())


def odd_words(words: Ragged, *, is_text: bool) -> dict[str, tuple[int, str]]:
    """How many words have unusual content, and of what kind."""
    controls = np.unique(_row_of(np.flatnonzero(words.blob < 32), words))
    found = {
        "words_with_marks": (len(_rows_with(BOM, words)), "words contain a byte order mark"),
        "words_with_controls": (len(controls), "words contain control characters"),
    }
    if is_text:  # if spaces separate fields, they may also be damage
        outer = np.flatnonzero(
            (words.blob[words.starts] == 32) | (words.blob[words.ends - 1] == 32)
        )
        stray = len(np.union1d(outer, _rows_with(b"  ", words)))
        found |= {
            "words_with_spaces": (len(_rows_with(b" ", words)), "words contain spaces"),
            "words_with_stray_spaces": (
                stray,
                "words have an extra space at the start, inside or at the end",
            ),
        }
    return found


def _rows_with(piece: bytes, words: Ragged) -> NDArray[np.int64]:
    """The rows of the words that contain some bytes."""
    is_there = words.blob[: max(0, len(words.blob) - len(piece) + 1)] == piece[0]
    for offset, byte in enumerate(piece[1:], start=1):
        is_there &= words.blob[offset : offset + len(is_there)] == byte
    places = np.flatnonzero(is_there)
    first, last = _row_of(places, words), _row_of(places + len(piece) - 1, words)
    return np.unique(first[first == last])  # not where one word ends and the next begins


def _row_of(places: NDArray[np.int64], words: Ragged) -> NDArray[np.int64]:
    """The row of the word that each position in the blob belongs to."""
    return np.searchsorted(words.ends, places, side="right")
