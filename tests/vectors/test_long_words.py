"""A word of millions of letters is refused at once, whatever the format."""

import time
from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors, load
from unslant.vectors.blocks import LONGEST_WORD
from unslant.vectors.formats import safetensors
from unslant.vectors.load import diagnose
from unslant.vectors.save import save


def with_a_word_of(length: int, path: Path) -> Path:
    words, matrix = ["a", "b" * length, "c"], np.ones((3, 5), np.float32)
    if path.suffix == ".npz":
        np.savez(path, words=np.array(words), vectors=matrix)
        return path
    if path.suffix == ".txt":
        path.write_text("".join(f"{word} 1.0 1.0 1.0 1.0 1.0\n" for word in words))
        return path
    with path.open("w+b") as stream:
        writer = safetensors.Writer(stream, 5)
        writer.append(matrix)
        writer.finish(Vocabulary.of(words), {"name": "long"}, with_index=False)
    return path


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".txt"])
@pytest.mark.parametrize("cache", [True, False])
def test_a_word_of_three_million_letters_is_refused_at_once(
    tmp_path: Path, suffix: str, cache: bool
) -> None:
    path = with_a_word_of(3_000_000, tmp_path / f"long{suffix}")
    begin = time.perf_counter()
    expected = r"word 2: the word .* has 3,000,000 bytes, expected at most 65,536\. \w+"
    in_text = r"line 2: the line is longer than"
    with pytest.raises(DamagedFileError, match=in_text if suffix == ".txt" else expected):
        load(path, cache=cache)
    assert not diagnose(path).is_sound
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".txt"])
def test_the_longest_word_that_is_allowed_is_read(tmp_path: Path, suffix: str) -> None:
    matrix = np.ones((1, 5), np.float32)
    word = "b" * LONGEST_WORD
    made = WordVectors(Vocabulary.of([word]), matrix, Lineage("long"))
    assert list(load(save(made, tmp_path / f"long{suffix}")).words) == [word]


def test_vectors_made_by_hand_have_the_same_limit() -> None:
    with pytest.raises(UnslantError, match="expected at most 65,536"):
        WordVectors.of({"b" * (LONGEST_WORD + 1): [1.0, 2.0]})
