"""What happens with words that stand twice, are no text, or are not asked for."""

from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError, UnknownNameError, UnslantError
from unslant.core.files import cache_folder
from unslant.vectors import load

TEXT = b"a 0.5 1.5\nb 2.5 3.5\na 0.5 1.5\nc 4.5 5.5\n"
CONFLICT = b"a 0.5 1.5\nb 2.5 3.5\na 9.5 9.5\nc 4.5 5.5\nb 8.5 8.5\n"


@pytest.fixture(params=[False, True], ids=["memory", "cache"])
def cache(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.txt"


def test_the_same_line_twice_is_kept_once_and_noted(path: Path, cache: bool) -> None:
    path.write_bytes(TEXT)
    loaded = load(path, cache=cache)
    assert list(loaded.words) == ["a", "b", "c"]
    assert loaded.matrix.tolist() == [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]
    assert loaded.notes == ("repeated words, of which the first was kept: 1",)
    assert loaded.origin["repeated_words"] == 1


def test_a_word_with_two_vectors_is_refused(path: Path, cache: bool) -> None:
    path.write_bytes(CONFLICT)
    with pytest.raises(
        DamagedFileError,
        match=r'line 3: "a" already occurred in line 1 with a different vector\. .*--duplicates',
    ):
        load(path, cache=cache)


def test_the_first_of_two_vectors_is_kept_when_asked_for(path: Path, cache: bool) -> None:
    path.write_bytes(CONFLICT)
    loaded = load(path, cache=cache, duplicates="first")
    assert list(loaded.words) == ["a", "b", "c"]
    assert loaded.matrix.tolist() == [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]
    assert loaded.origin["repeated_words"] == 2


def test_many_repetitions_far_apart_are_found(path: Path, cache: bool) -> None:
    lines = [b"w%d %d.5 0.5\n" % (n % 30_000, n % 30_000) for n in range(90_000)]
    path.write_bytes(b"".join(lines))
    loaded = load(path, cache=cache)
    assert loaded.origin["repeated_words"] == 60_000
    expected = np.arange(30_000) + 0.5
    assert np.array_equal(loaded.matrix[:, 0], expected.astype(np.float32))


def test_words_that_are_not_utf8_are_refused_or_left_out(path: Path, cache: bool) -> None:
    path.write_bytes(b"a 0.5 1.5\nb\xff 2.5 3.5\n\xc3 2.5 3.5\n\xa9c 4.5 5.5\nd 6.5 7.5\n")
    with pytest.raises(DamagedFileError, match=r'line 2: .*"b\\xff".*--undecodable drop'):
        load(path, cache=cache)
    loaded = load(path, cache=cache, undecodable="drop")
    assert list(loaded.words) == ["a", "d"]
    assert loaded.matrix.tolist() == [[0.5, 1.5], [6.5, 7.5]]
    assert loaded.notes == ("words skipped because they are not valid UTF-8: 3",)


def test_leaving_words_out_does_not_upset_the_count_of_the_header(path: Path, cache: bool) -> None:
    path.write_bytes(b"3 2\na 0.5 1.5\nb\xff 2.5 3.5\nc 4.5 5.5\n")
    assert list(load(path, cache=cache, undecodable="drop").words) == ["a", "c"]
    path.write_bytes(b"4 2\na 0.5 1.5\nb\xff 2.5 3.5\nc 4.5 5.5\n")
    with pytest.raises(DamagedFileError, match="header says 4 words, the file has 3"):
        load(path, cache=cache, undecodable="drop")


def test_leaving_out_what_is_no_text_does_not_excuse_a_bad_number(path: Path, cache: bool) -> None:
    path.write_bytes(b"a 0.5 1.5\nb\xff 2.5 x\nc 4.5 5.5\n")
    with pytest.raises(DamagedFileError, match="line 2: field 2 of 2"):
        load(path, cache=cache, undecodable="drop")


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 10**12])
def test_a_limit_counts_different_words(path: Path, cache: bool, limit: int) -> None:
    path.write_bytes(TEXT)
    loaded = load(path, cache=cache, limit=limit)
    assert list(loaded.words) == ["a", "b", "c"][:limit]
    assert loaded.matrix.tolist() == [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]][:limit]


def test_a_limit_reads_no_more_than_it_must(path: Path) -> None:
    good = b"".join(b"w%d 0.5 0.5\n" % n for n in range(500_000))
    path.write_bytes(good + b"damaged\n")
    loaded = load(path, limit=1000)
    assert len(loaded) == 1000
    assert loaded.origin["limit"] == 1000
    held = loaded.matrix
    while isinstance(held.base, np.ndarray):
        held = held.base
    assert held.nbytes == 1000 * 2 * 4  # and not the rest of the block that was read
    assert not list(cache_folder().glob("vectors/*"))
    with pytest.raises(DamagedFileError, match="line 500,001"):
        load(path)


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_below_one_is_refused_before_anything_is_read(path: Path, limit: int) -> None:
    with pytest.raises(UnslantError, match=f"Got {limit} instead"):
        load(path, limit=limit)


def test_only_and_limit_go_together(path: Path, cache: bool) -> None:
    path.write_bytes(TEXT)
    loaded = load(path, cache=cache, limit=2, only=["c", "b"])
    assert list(loaded.words) == ["b"]
    assert loaded.notes[-1] == "1 requested words are missing from the file"


@pytest.mark.parametrize("policy", [{"duplicates": "last"}, {"undecodable": "replace"}])
def test_an_unknown_policy_is_refused(path: Path, policy: dict[str, str]) -> None:
    with pytest.raises(UnknownNameError, match="policy for"):
        load(path, duplicates=policy.get("duplicates", "fail"),
             undecodable=policy.get("undecodable", "fail"))  # fmt: skip


def test_what_is_in_the_record_says_which_file_it_was(path: Path, cache: bool) -> None:
    path.write_bytes(TEXT)
    origin = load(path, cache=cache).origin
    assert origin["file"] == "a.txt"
    assert origin["format"] == "GloVe text"
    assert origin["dim"] == 2
    assert len(origin["sha256"]) == 64
