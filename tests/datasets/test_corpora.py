"""Corpora of any size: sentences one at a time, samples in bounded memory."""

import gzip
import lzma
from collections import Counter
from pathlib import Path

import pytest

from unslant.core.errors import FileFormatError
from unslant.datasets.corpora import sentences_of, sentences_with


def test_lines_are_split_into_sentences_and_compression_is_recognised(tmp_path: Path) -> None:
    text = b'He came. "Who?" she said!\n\nMr Brown left at 5.30 p.m. today.\n'
    expected = ["He came.", '"Who?" she said!', "Mr Brown left at 5.30 p.m. today."]
    for name, content in (
        ("a.txt", text),
        ("a.txt.gz", gzip.compress(text)),
        ("a.txt.xz", lzma.compress(text)),
    ):
        (tmp_path / name).write_bytes(content)
        assert list(sentences_of(tmp_path / name)) == expected


def test_a_missing_corpus_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="not a text file"):
        list(sentences_of(tmp_path / "none.txt"))


def test_whole_words_are_marked_whatever_their_case() -> None:
    found = sentences_with(
        ["She sang; Ann heard.", "Anna sang.", "ANN's dog, and Ann.", "South African Americans.",
         "A South African American spoke."],
        ["Ann", "South African American", "dog"],
    )  # fmt: skip
    assert found["Ann"] == ("She sang; [[Ann]] heard.", "ANN's dog, and [[Ann]].")
    assert found["South African American"] == ("A [[South African American]] spoke.",)
    assert found["dog"] == ("ANN's [[dog]], and Ann.",)


def test_every_sentence_has_the_same_chance_to_be_drawn() -> None:
    drawn: Counter[str] = Counter()
    texts = [f"Number {n} is a word." for n in range(10)]
    for seed in range(600):
        chosen = sentences_with(iter(texts), ["word"], most=3, seed=seed)["word"]
        assert len(set(chosen)) == 3
        drawn.update(chosen)
    # 180 each are expected, with a standard deviation of 11.
    assert all(135 < drawn[text.replace("word", "[[word]]")] < 225 for text in texts)
