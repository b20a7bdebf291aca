"""Text files: any word, any usual way to write numbers and to end lines."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tallies import Tally
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
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
    assert f"{with_spaces} words contain spaces" in loaded.notes
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


_words_and_numbers = (
    st.lists(_word, min_size=1, max_size=6, unique=True),
    st.integers(1, 4),
    st.lists(_number, min_size=24, max_size=24),
)


@settings(max_examples=200, deadline=None)
@given(*_words_and_numbers)
@example(["\ufeffa", "b"], 2, [0.0] * 24)
@example(["3 4"], 2, [1.0] * 24)
@example(["3"], 1, [4.0] * 24)
@example([" "], 1, [4.0] * 24)
def test_any_words_come_back_from_every_format_or_are_refused_when_saved(
    words: list[str], dim: int, numbers: list[float]
) -> None:
    come_back(words, dim, numbers)


@pytest.mark.full
def test_a_thousand_sets_of_any_words_come_back(tally: Tally) -> None:
    seen = 0

    @settings(max_examples=1_000, deadline=None)
    @given(*_words_and_numbers)
    def every(words: list[str], dim: int, numbers: list[float]) -> None:
        nonlocal seen
        seen += 1
        come_back(words, dim, numbers)

    every()
    tally(seen)


def come_back(words: list[str], dim: int, numbers: list[float]) -> None:
    """Save in every format, and read what was saved."""
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

GOOD = "".join(f"w{number} {number}.5 -0.25 0.125\n" for number in range(30))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x 0.5 0.5", r"line 31: 2 numbers, expected 3\. .*doctor"),
        (
            "x 0.5 0.5 0.5 0.5",
            r'line 31: the word "x 0\.5" contains a number, so the line has one number',
        ),
        ("x 0.5 y 0.5 0.5", r'line 31: field 1 of 3 is "y", expected a decimal number'),
        ("x 0.5  0.5 0.5", r'line 31: field 1 of 3 is "", expected a decimal number'),
        ("x 0.5 nan 0.5", r"line 31: number 2 is nan, expected a finite value"),
        ("x 0.5 -Inf 0.5", r"line 31: number 2 is -Inf, expected a finite value"),
        ("x 0.5 0.5 1e39", r"line 31: number 3 does not fit a 32-bit float"),
        ("x 0.5 0.5 3.4028236e38", r"line 31: number 3 does not fit a 32-bit float"),
        ("x 0.5 1,000.5 0.5", r'line 31: field 2 of 3 is "1,000\.5"'),
        ("x 0.5 0x1p3 0.5", r'line 31: field 2 of 3 is "0x1p3"'),
        ("x 0.5 \x1b[2J 0.5", r'line 31: field 2 of 3 is "\\x1b\[2J"'),
        ("x 0.5 0.5 0.5 ", r"line 31: the line does not end like the others, with LF alone"),
        ("x 0.5 0.5 0.5\r", r"line 31: the line does not end like the others, with LF alone"),
        ("", r"line 31: the line is empty\. Remove it"),
        (" 0.5 0.5 0.5", r"line 31: there is no word before the numbers"),
        ("0.5 0.5 0.5", r"line 31: 2 numbers, expected 3"),
        ("x\ty 0.5 0.5 0.5", r"line 31: the word contains a tab"),
        ("x\x00y 0.5 0.5 0.5", r"line 31: the word contains a NUL byte"),
        ("x\ry 0.5 0.5 0.5", r"line 31: the word contains a carriage return"),
        ("w3 0.5 0.5 0.5", r'line 31: "w3" already occurred in line 4 with a different vector'),
    ],
)
def test_a_bad_line_is_named_with_what_is_wrong_with_it(
    tmp_path: Path, line: str, message: str
) -> None:
    path = written(tmp_path / "a.txt", GOOD + line + "\n" + "z 0.5 0.5 0.5\n")
    with pytest.raises(DamagedFileError, match=message) as told:
        load(path, cache=False)
    assert str(told.value).startswith(str(path))
    assert str(told.value).isprintable()


@pytest.mark.parametrize("ending", [" \n", "\r\n", " \r\n"])
def test_a_line_that_ends_otherwise_than_the_rest_is_named(tmp_path: Path, ending: str) -> None:
    content = GOOD.replace("\n", ending) + "x 0.5 0.5 0.5\n" + "y 0.5 0.5 0.5" + ending
    with pytest.raises(DamagedFileError, match="line 31: the line does not end like the others"):
        load(written(tmp_path / "a.txt", content), cache=False)


def test_bytes_that_are_not_utf8_are_shown_escaped(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD.encode() + b"x\xff\x1b 0.5 0.5 0.5\n")
    with pytest.raises(
        DamagedFileError, match=r'line 31: the word "x\\xff\\x1b" is not valid UTF-8'
    ):
        load(path, cache=False)


@pytest.mark.parametrize(
    "content",
    [
        "hello world\nthis is prose\n", "a,0.5,0.25\nb,0.5,0.25\n", "a\t0.5\t0.25\nb\t0.5\t0.25\n",
        "<html><body>404 0.5</body>\n</html>\n",
        "version https://git-lfs.github.com/spec/v1\noid 5\nsize x\n",
        "word\n", "x", "\n", " \n", "{}\n", "0.5\n0.25\n",
    ],
)  # fmt: skip
def test_text_that_is_no_vectors_is_refused_with_what_was_expected(
    tmp_path: Path, content: str
) -> None:
    with pytest.raises(FileFormatError, match="Expected"):
        load(written(tmp_path / "a.txt", content), cache=False)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("30 3", None),
        ("29 3", r"line 1: the header says 29 words, the file has 30"),
        ("31 3", r"line 1: the header says 31 words, the file has 30"),
        ("3 30", r"line 1: the header says 30 numbers per word, the lines have 3"),
        ("30 4", r"line 1: the header says 4 numbers per word, the lines have 3"),
        ("30 2", r"line 1: the header says 2 numbers per word, the lines have 3"),
        ("0 3", r"line 1: the header says 0 words of 3 numbers\. Expected at least 1"),
        ("-30 3", r"line 1: the header says -30 words"),
        ("9999 3", r"line 1: the header says 9,999 words of 3 numbers, which need at least"),
        ("30 3 0", r"line 1: .* numbers, expected 3"),
        ("30x 3", r"line 1: 1 numbers, expected 3"),
    ],
)
def test_a_header_is_held_against_the_lines(
    tmp_path: Path, header: str, message: str | None
) -> None:
    path = written(tmp_path / "a.vec", f"{header}\n{GOOD}")
    if message is None:
        assert len(load(path, cache=False)) == 30
    else:
        with pytest.raises(DamagedFileError, match=message):
            load(path, cache=False)


def test_a_header_does_not_turn_text_with_a_bad_first_line_into_binary(tmp_path: Path) -> None:
    path = written(tmp_path / "a.vec", "31 3\nx\n" + GOOD)
    with pytest.raises(DamagedFileError, match="line 2: 0 numbers, expected 3"):
        load(path, cache=False)


def test_a_first_line_of_two_integers_is_never_silently_a_word_or_a_header(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "2 3\nfoo 1\nbar 5\nbaz 7\n")
    with pytest.raises(
        UnslantError, match=r"line 1: the header says 3 numbers.*lines have 1.*If it"
    ):
        load(path, cache=False)
    words = load(written(tmp_path / "b.txt", "2 3.0\nfoo 1\nbar 5\nbaz 7\n"), cache=False).words
    assert list(words) == ["2", "foo", "bar", "baz"]


def test_one_line_without_a_newline_is_a_file(tmp_path: Path) -> None:
    loaded = load(written(tmp_path / "a.txt", "foo 1.5 2.5"), cache=False)
    assert (list(loaded.words), loaded.matrix.tolist()) == (["foo"], [[1.5, 2.5]])


@pytest.mark.parametrize(
    ("word", "note"),
    [
        ("New York", ["1 words contain spaces"]),
        (
            " x",
            [
                "1 words contain spaces",
                "1 words have an extra space at the start, inside or at the end",
            ],
        ),
        (
            "x ",
            [
                "1 words contain spaces",
                "1 words have an extra space at the start, inside or at the end",
            ],
        ),
        (
            "x  y",
            [
                "1 words contain spaces",
                "1 words have an extra space at the start, inside or at the end",
            ],
        ),
        ("x\x07", ["1 words contain control characters"]),
        ("\ufeffx", ["1 words contain a byte order mark"]),
        ("größe", []),
        ("\u00a0", []),
    ],
)
def test_an_odd_word_is_noted(tmp_path: Path, word: str, note: list[str]) -> None:
    content = GOOD + f"{word} 0.5 0.5 0.5\ny 0.5 0.5 0.5\n"
    assert list(load(written(tmp_path / "a.txt", content), cache=False).notes) == note


def test_a_number_beyond_a_million_is_noted(tmp_path: Path) -> None:
    content = GOOD + "x 0.5 -1234567.5 0.5\ny 1e6 0.5 0.5\n"
    notes = load(written(tmp_path / "a.txt", content), cache=False).notes
    assert notes == ("1 words have a number beyond a million, which may indicate damage",)


def test_an_error_message_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD + "x" * 50_000 + " y y y\n")
    with pytest.raises(DamagedFileError) as told:
        load(path, cache=False)
    assert len(str(told.value)) < 300 + len(str(path))


def test_a_line_too_long_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD + "x" * 70_000 + " 0.5 0.5 0.5\nz 0.5 0.5 0.5\n")
    with pytest.raises(DamagedFileError, match=r"line 31: the line is longer than 65,728 bytes"):
        load(path, cache=False)
