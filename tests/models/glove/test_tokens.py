"""Text as ranks: order, boundaries, files and folders."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import FileFormatError, UnslantError
from unslant.models.glove import counting
from unslant.models.glove.counting import files_of, ranked_text
from unslant.models.glove.settings import CountSettings


def ranks(path: Path) -> list[int]:
    return list(map(int, np.fromfile(path, dtype=np.int32)))


def test_words_are_ranked_by_count_and_then_by_spelling(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The b a, the b a\nonce the")
    text = ranked_text([path], CountSettings(minimum=2), tmp_path)
    assert text.words == ["the", "a", "b"]
    assert text.counts.tolist() == [3, 2, 2]
    assert (text.tokens, text.types) == (9, 5)  # with a comma and "once"
    assert ranks(text.path) == [0, 2, 1, 0, 2, 1, -1, 0, -1, -1]


def test_pieces_of_any_size_give_the_same_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("she said so\nso he said\n\nand she went\n" * 50)
    whole = ranks(ranked_text([path], CountSettings(), tmp_path).path)
    monkeypatch.setattr(counting, "_TEXT_PIECE", 7)
    text = ranked_text([path], CountSettings(), tmp_path)
    assert ranks(text.path) == whole
    assert text.counts.sum() == 9 * 50


def test_a_folder_is_its_text_files_below_in_order_compressed_or_not(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "more").mkdir(parents=True)
    (tmp_path / "corpus" / "b.txt").write_text("two two")
    (tmp_path / "corpus" / "more" / "c.txt").write_text("two three three")
    with gzip.open(tmp_path / "corpus" / "a.txt.gz", "wb") as stream:
        stream.write(b"one one")
    (tmp_path / "corpus" / "picture.png").write_bytes(b"\x89PNG")
    files = files_of(tmp_path / "corpus")
    assert [path.name for path in files] == ["a.txt.gz", "b.txt", "c.txt"]
    text = ranked_text(files, CountSettings(minimum=1, boundary="file"), tmp_path)
    assert [text.words[n] if n >= 0 else "|" for n in ranks(text.path)] == [
        *("one", "one", "|", "two", "two", "|", "two", "three", "three", "|")
    ]


def test_text_without_enough_words_is_refused_with_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("only once each")
    with pytest.raises(UnslantError, match="has 0 words that occur at least 5 times, of 3"):
        ranked_text([path], CountSettings(), tmp_path)
    path.write_text(" \n\n")
    with pytest.raises(UnslantError, match="contains no words"):
        ranked_text([path], CountSettings(), tmp_path)


def test_missing_and_empty_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="does not exist"):
        files_of(tmp_path / "nowhere")
    with pytest.raises(FileFormatError, match="contains no text files"):
        files_of(tmp_path)
