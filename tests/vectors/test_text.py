"""Text files: any word, any usual way to write numbers and to end lines."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.vectors.text_lines import expect, lines_of, written
from unslant.core.errors import OutputError
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors, load
from unslant.vectors.save import save

ODD_WORDS = [
    ". . .", ". . . .", "at name@domain.com", "to name@domain.com", "New York",
    " leading", "trailing ", "two  spaces", "iphone 4", "top 10", "a -",
    "\u00a0", "a\u00a0b", "\u0085", "a\u0085b", "\u2028", "\u2029", "\u3000", "\u200b",
    "\ufeffinside", "😀", "👩\u200d👩\u200d👧", "e\u0301", "\u202eabc", "日本語", "ß", "İ",
    "\u05e9\u05dc\u05d5\u05dd", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "0.5", "-", "1e5", "-1", "+", ".", "2", "2019", "1/2", "nan", "inf", "NULL", "=1+1",
    "#", '"', "'", "<s>", "</s>", "\\n", "%s", "\x1b[31m", "\x7f", "\x0b", "\x0c", "\x1c",
]  # fmt: skip


def test_there_are_forty_odd_words_and_no_word_twice() -> None:
    assert len(set(ODD_WORDS)) == len(ODD_WORDS) >= 40


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("odd", ODD_WORDS)
def test_an_odd_word_among_others_is_recovered(tmp_path: Path, odd: str, header: bool) -> None:
    words = ["the", "of", odd, "king", "queen"]
    lines = ["5 3"] * header + lines_of(words)
    path = written(tmp_path / "odd.txt", "\n".join(lines) + "\n")
    expect(load(path, cache=False), words)


@pytest.mark.parametrize("header", [False, True])
def test_all_odd_words_together_are_recovered(tmp_path: Path, header: bool) -> None:
    words = [f"w{number}" for number in range(60)] + ODD_WORDS
    lines = [f"{len(words)} 3"] * header + lines_of(words)
    loaded = load(written(tmp_path / "odd.txt", "\n".join(lines) + "\n"), cache=False)
    expect(loaded, words)
    with_spaces = sum(" " in word for word in ODD_WORDS)
    assert f"words with spaces: {with_spaces}" in loaded.notes
    assert loaded.origin["words_with_spaces"] == with_spaces


@pytest.mark.parametrize(
    "odd", ["( ", "(quote", "]", "}q", "c", "BZh", "BZh91AY", "PK", "ustar", "%PDF", "{"]
)
def test_a_first_word_that_resembles_another_format_is_only_a_word(
    tmp_path: Path, odd: str
) -> None:
    words = [odd, "queen", "p0"]
    expect(load(written(tmp_path / "a.txt", "\n".join(lines_of(words)) + "\n"), cache=False), words)


def test_a_word_at_the_place_where_tar_has_its_mark_is_only_a_word(tmp_path: Path) -> None:
    words = ["x" * 250, "ustar", "y"]
    content = "\n".join(lines_of(words, dim=1)) + "\n"
    assert content[257:262] == "ustar"
    expect(load(written(tmp_path / "a.txt", content), cache=False), words, dim=1)


# Every writable format ------------------------------------------------------------------------

_character = st.characters(exclude_characters="\n\t\r\0", exclude_categories=["Cs"])
_pieces = ["", "0.5", "-1.25", "1", "2019", "-", "+", "1e5", ".", "a", "é", "\ufeff", "\u2028"]
_word = st.one_of(
    st.text(_character, min_size=1, max_size=12),
    st.lists(st.sampled_from(_pieces), min_size=1, max_size=4).map(" ".join).filter(bool),
)
_number = st.floats(width=32, allow_nan=False, allow_infinity=False)
FORMATS = ["safetensors", "npz", "word2vec-binary", "word2vec-text", "glove-text"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(_word, min_size=1, max_size=6, unique=True),
    st.integers(1, 4),
    st.lists(_number, min_size=24, max_size=24),
)
@example(["\ufeffa", "b"], 2, [0.0] * 24)
@example(["3 4"], 2, [1.0] * 24)
@example(["3"], 1, [4.0] * 24)
@example([" "], 1, [4.0] * 24)
def test_any_words_come_back_from_every_format_or_are_refused_when_saved(
    words: list[str], dim: int, numbers: list[float]
) -> None:
    matrix = np.array(numbers, dtype=np.float32)[: len(words) * dim].reshape(-1, dim)
    vectors = WordVectors.of(dict(zip(words, matrix.tolist(), strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMATS:
            path = Path(folder) / form
            try:
                save(vectors, path, form)
            except OutputError:
                assert form.startswith(("word2vec", "glove"))
                assert any(" " in word for word in words) or words[0].startswith("\ufeff")
                assert not path.exists()
                continue
            loaded = load(path, cache=False)
            assert list(loaded.words) == words
            assert loaded.matrix.tobytes() == matrix.tobytes()
            assert loaded.content_hash == vectors.content_hash


def test_a_tiny_binary_file_whose_bytes_are_letters_is_not_taken_for_text(tmp_path: Path) -> None:
    number = float(np.frombuffer(b"0 ([", dtype="<f4")[0])
    path = save(WordVectors.of({"0": [number]}), tmp_path / "a", "word2vec-binary")
    assert load(path, cache=False).matrix.tolist() == [[number]]


@pytest.mark.parametrize("form", FORMATS)
def test_a_word_too_long_to_be_read_again_is_not_written(tmp_path: Path, form: str) -> None:
    words = Vocabulary.of(["x" * 200_000, "y"])
    vectors = WordVectors(words, np.ones((2, 2), np.float32), Lineage("long"))
    with pytest.raises(OutputError, match=r"longer than 65,536 bytes, so the file could not be"):
        save(vectors, tmp_path / "a", form)
    assert not list(tmp_path.glob("*a*"))


@pytest.mark.parametrize(
    "word", ["a 0.5", "0.5 a", " 0.5", "a 1.5e-3 b", "a\tb", "a\nb", "a\x00", ""]
)
def test_words_that_no_text_can_hold_are_refused_when_saved(tmp_path: Path, word: str) -> None:
    vectors = load()
    rows = np.array([0, 1], dtype=np.int64)
    odd = WordVectors(Vocabulary.of(["the", word]), vectors.matrix[rows], vectors.lineage)
    with pytest.raises(OutputError, match="cannot be written"):
        save(odd, tmp_path / "a.txt")


# Ways to write it -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bom", "header", "space", "carriage_return", "final"),
    list(itertools.product([False, True], repeat=5)),
)
def test_line_endings_marks_and_headers_in_every_combination(
    tmp_path: Path, bom: bool, header: bool, space: bool, carriage_return: bool, final: bool
) -> None:
    words = ["the", "of", "and", "New York"]
    first = "4 3" + (" " if space else "") + ("\r" if carriage_return else "")
    ending = (" " if space else "") + ("\r\n" if carriage_return else "\n")
    content = (first + "\n") * header + "".join(line + ending for line in lines_of(words))
    if not final:
        content = content.removesuffix("\n")
    loaded = load(written(tmp_path / "a.txt", "\ufeff" * bom + content), cache=False)
    expect(loaded, words)
    assert ("begins with a byte order mark" in loaded.notes) == bom
    assert ("lines end with CR LF" in loaded.notes) == carriage_return
    assert ("no newline at the end: the last number may be truncated" in loaded.notes) != final
    assert loaded.origin["format"] == ("word2vec text" if header else "GloVe text")


@pytest.mark.parametrize(
    "number",
    [
        "1", "-1", "+1.5", ".5", "-.5", "5.", "1e3", "1E-3", "1.5e+2", "12.75", "-123.456",
        "0", "-0", "00.5", "0.1234567890123456789", "1234567890123456789", "1e-50", "-1e-46",
        "3.4028234e38", "3.4028235e+38",
               "9.007199254740993", "0.000000000000000000000001", "1e-400",
    ],
)  # fmt: skip
def test_numbers_are_read_as_float_reads_them(tmp_path: Path, number: str) -> None:
    content = f"a 0.5 {number} 0.25\nb {number} 0.5 0.25\nc 0.5 0.25 {number}\n"
    loaded = load(written(tmp_path / "a.txt", content), cache=False)
    expected = np.float32(float(number))
    found = np.array([loaded["a"][1], loaded["b"][0], loaded["c"][2]])
    assert found.tobytes() == np.full(3, expected).tobytes()


def test_integers_alone_are_vectors_too(tmp_path: Path) -> None:
    loaded = load(written(tmp_path / "a.txt", "a 1 2 3\nb 4 5 6\n"), cache=False)
    assert loaded.matrix.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("dim", [1, 2, 7, 300, 5000])
@pytest.mark.parametrize("rows", [1, 2, 1001])
def test_any_width_and_height_is_read(tmp_path: Path, dim: int, rows: int) -> None:
    if dim * rows > 10**6:
        rows = 20
    matrix = np.random.default_rng(dim).normal(size=(rows, dim)).astype(np.float32)
    vectors = WordVectors(Vocabulary.of([f"w{n}" for n in range(rows)]), matrix, load().lineage)
    loaded = load(save(vectors, tmp_path / "a.txt"), cache=False)
    assert loaded.matrix.tobytes() == matrix.tobytes()


def test_lines_longer_than_a_chunk_are_read(tmp_path: Path) -> None:
    dim = 150_000  # more than a mebibyte a line
    matrix = np.random.default_rng(0).normal(size=(5, dim)).astype(np.float32)
    vectors = WordVectors(Vocabulary.of(list("abcde")), matrix, load().lineage)
    loaded = load(save(vectors, tmp_path / "a.txt"), cache=False)
    assert loaded.matrix.tobytes() == matrix.tobytes()


def test_the_words_at_the_seams_of_chunks_are_whole(tmp_path: Path) -> None:
    words = [f"word-{number}-ü" for number in range(50_000)]
    content = "".join(f"{word} {n % 10}.5 -0.{n}\n" for n, word in enumerate(words))
    assert len(content) > 1 << 20
    loaded = load(written(tmp_path / "a.txt", content), cache=False)
    assert list(loaded.words) == words
    expected = [[n % 10 + 0.5, -float(f"0.{n}")] for n in range(len(words))]
    assert np.array_equal(loaded.matrix, np.array(expected).astype(np.float32))


# What is said when it is wrong ----------------------------------------------------------------
