"""Files of vectors as text, written line by line."""

from pathlib import Path

import numpy as np

from unslant.vectors import WordVectors


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines_of(words: list[str], dim: int = 3) -> list[str]:
    return [
        " ".join([word, *(f"{row + 1}.{column}25" for column in range(dim))])
        for row, word in enumerate(words)
    ]


def vectors_of(words: list[str], dim: int = 3) -> list[list[float]]:
    return [[row + 1 + column / 10 + 0.025 for column in range(dim)] for row in range(len(words))]


def expect(loaded: WordVectors, words: list[str], dim: int = 3) -> None:
    assert list(loaded.words) == words
    assert np.array_equal(loaded.matrix, np.array(vectors_of(words, dim), dtype=np.float32))
