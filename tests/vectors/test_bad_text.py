"""Text that is wrong, odd or no vectors at all, and what is said about it."""

from pathlib import Path

import pytest

from tests.vectors.text_lines import written
from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.vectors import load

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
        ("New York", ["words with spaces: 1"]),
        (
            " x",
            [
                "words with spaces: 1",
                "words with an extra space at the start, inside or at the end: 1",
            ],
        ),
        (
            "x ",
            [
                "words with spaces: 1",
                "words with an extra space at the start, inside or at the end: 1",
            ],
        ),
        (
            "x  y",
            [
                "words with spaces: 1",
                "words with an extra space at the start, inside or at the end: 1",
            ],
        ),
        ("x\x07", ["words with control characters: 1"]),
        ("\ufeffx", ["words with a byte order mark: 1"]),
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
    assert notes == ("words with a number beyond a million, which may indicate damage: 1",)


def test_an_error_message_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD + "x" * 50_000 + " y y y\n")
    with pytest.raises(DamagedFileError) as told:
        load(path, cache=False)
    assert len(str(told.value)) < 300 + len(str(path))


def test_a_line_too_long_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD + "x" * 70_000 + " 0.5 0.5 0.5\nz 0.5 0.5 0.5\n")
    with pytest.raises(DamagedFileError, match=r"line 31: the line is longer than 65,728 bytes"):
        load(path, cache=False)
