"""Files of vectors made up for measuring: real in shape, width and digits, not in meaning.

Writing 120 million distinct decimals would take longer than anything measured here, so the lines
of a block are written again and again, each time behind another word.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SPREAD = 0.4
"""The standard deviation of a component in glove.6B.300d, about."""
_BLOCK_ROWS = 20_000
_UNTIL_SETTLED = 2.5
"""Seconds until a file counts as complete: a hash of a younger one is not remembered."""
_SYLLABLES = [c + v for c in "bcdfghjklmnprstvwxyz" for v in "aeiou"]


def word(number: int) -> str:
    """A word for each number, no two alike: its digits to the base of 100, as syllables.

    >>> word(7), word(1234)
    ('ci', 'deju')
    """
    syllables = []
    while True:
        number, digit = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[digit])
        if not number:
            return "".join(reversed(syllables))


def write_glove_text(path: Path, rows: int, dim: int) -> None:
    """GloVe text: no header, five significant digits, as the published files have."""
    values = np.random.default_rng(1).normal(0, SPREAD, (min(rows, _BLOCK_ROWS), dim))
    pattern = " " + " ".join(["%.5g"] * dim) + "\n"
    tails = [(pattern % tuple(row)).encode() for row in values.tolist()]
    _write(path, b"", tails, rows)


def write_word2vec_binary(path: Path, rows: int, dim: int) -> None:
    """word2vec binary, with the newline behind each vector that the C tool writes."""
    values = np.random.default_rng(2).normal(0, SPREAD, (min(rows, _BLOCK_ROWS), dim))
    tails = [b" " + row.tobytes() + b"\n" for row in values.astype("<f4")]
    _write(path, f"{rows} {dim}\n".encode(), tails, rows)


def _write(path: Path, header: bytes, tails: list[bytes], rows: int) -> None:
    with path.open("wb") as stream:
        stream.write(header)
        for block in _blocks(rows):
            pieces = []
            for number, tail in zip(block, tails, strict=False):
                pieces += [word(number).encode(), tail]
            stream.write(b"".join(pieces))
    time.sleep(_UNTIL_SETTLED)


def _blocks(rows: int) -> Iterator[range]:
    for start in range(0, rows, _BLOCK_ROWS):
        yield range(start, min(start + _BLOCK_ROWS, rows))
