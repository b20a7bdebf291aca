"""The words of a quality benchmark in the vectors, found as the usual evaluation scripts do.

Only the first ``restrict`` words of the file count (they are the most frequent ones in the usual
files), and case is ignored: a word is the first in the file that equals it in upper case. These
are the conventions of word2vec's own script, which published numbers follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import WordUse
from unslant.numerics.decimals import Ragged
from unslant.vectors import Vocabulary, WordVectors

Rows = NDArray[np.int64]

_NEWLINE = ord("\n")


@dataclass(frozen=True, eq=False)
class BenchmarkWords:
    """The positions of a benchmark's words among the first words of the file."""

    vectors: WordVectors
    row: dict[str, int]
    same_word: Rows
    """For each row, the first row that counts as the same word."""
    use: WordUse
    warnings: tuple[str, ...]

    def rows(self, words: Sequence[Sequence[str]]) -> Rows:
        """The rows of the words in each question or pair; -1 if one is missing."""
        return np.array([[self.row.get(word, -1) for word in line] for line in words])


def benchmark_words(
    vectors: WordVectors, words: Sequence[str], *, name: str, restrict: int, case: str
) -> BenchmarkWords:
    """Find the distinct words of a benchmark; a zero vector counts as missing."""
    head = vectors.head(restrict) if restrict else vectors
    asked = tuple(dict.fromkeys(words))
    known = upper_case(head.words) if case == "ignore" else head.words
    rows = known.rows_of([word.upper() for word in asked] if case == "ignore" else asked)
    there = np.flatnonzero(rows >= 0)
    zero = there[~head.rows_at(rows[there]).any(axis=1)]
    rows[zero] = -1
    used = tuple(asked[number] for number in np.flatnonzero(rows >= 0).tolist())
    row = dict(zip(asked, rows.tolist(), strict=True))
    spelt = tuple(head.words[row[word]] for word in used)
    same_word = known.first_occurrences() if case == "ignore" else np.arange(len(head))
    note = f"{len(zero):,} words in {name} have the zero vector and count as missing."
    return BenchmarkWords(
        vectors=head,
        row=row,
        same_word=same_word,
        use=WordUse(
            set=name,
            used=used,
            spelt=() if spelt == used else spelt,
            missing=tuple(word for word in asked if row[word] < 0),
        ),
        warnings=(note,) if len(zero) else (),
    )


def upper_case(words: Vocabulary) -> Vocabulary:
    """Every word in upper case at once: no word contains a newline, so newlines separate them."""
    packed = words.packed
    parted = np.insert(packed.blob[: int(packed.ends[-1])], packed.ends, _NEWLINE)
    upper = np.frombuffer(parted.tobytes().decode().upper().encode(), dtype=np.uint8)
    is_end = upper == _NEWLINE
    ends = np.flatnonzero(is_end) - np.arange(len(words))
    return Vocabulary(Ragged(upper[~is_end], ends))
