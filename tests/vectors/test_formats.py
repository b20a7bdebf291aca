"""Every format holds the same vectors to the last bit, and files of other tools are read."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

from unslant.core.errors import (
    DamagedFileError,
    FileFormatError,
    OutputError,
    UnknownNameError,
)
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors, load
from unslant.vectors.formats import safetensors
from unslant.vectors.save import save

NAMES = ["a.safetensors", "a.npz", "a.bin", "a.vec", "a.txt", "a.vec.gz", "a.txt.gz", "a.txt.xz"]


def space(matrix: NDArray[np.float32], name: str = "space") -> WordVectors:
    return WordVectors(Vocabulary.of([f"w{n}" for n in range(len(matrix))]), matrix, Lineage(name))


def extreme_values() -> NDArray[np.float32]:
    """Zeros, subnormals, the largest, neighbours of powers, and thousands of random patterns."""
    bits = np.random.default_rng(0).integers(0, 2**32, 30_000, dtype=np.uint32)
    patterns = bits.view(np.float32)
    info = np.finfo(np.float32)
    edges = np.array(
        [0.0, -0.0, info.smallest_subnormal, -info.smallest_subnormal, 1e-45, 1 / 3,
         info.tiny, np.nextafter(info.tiny, 0, dtype=np.float32), info.max, info.min,
         np.nextafter(np.float32(1), 2, dtype=np.float32)],
        dtype=np.float32,
    )  # fmt: skip
    values = np.concatenate([edges, patterns[np.isfinite(patterns)]])
    return values[: len(values) // 12 * 12].reshape(-1, 12)


@pytest.mark.parametrize("name", NAMES)
def test_saved_vectors_reload_to_the_same_bits(tmp_path: Path, name: str) -> None:
    vectors = space(extreme_values())
    loaded = load(save(vectors, tmp_path / name), cache=False)
    assert loaded.matrix.tobytes() == vectors.matrix.tobytes()
    assert loaded.words == vectors.words
    assert loaded.content_hash == vectors.content_hash


@pytest.mark.parametrize("name", NAMES)
def test_the_same_vectors_give_the_same_bytes_twice(tmp_path: Path, name: str) -> None:
    vectors = load(limit=50)
    (tmp_path / "b").mkdir()
    first, second = save(vectors, tmp_path / name), save(vectors, tmp_path / "b" / name)
    if not name.endswith(".npz"):  # a zip archive keeps the time
        assert first.read_bytes() == second.read_bytes()


def test_the_safetensors_library_opens_our_files(tmp_path: Path) -> None:
    vectors = load(limit=100)
    tensors = load_file(save(vectors, tmp_path / "a.safetensors"))
    assert np.array_equal(tensors["vectors"], vectors.matrix)
    ends, blob = tensors["word_ends"].tolist(), tensors["words"].tobytes()
    starts = [0, *ends[:-1]]
    assert [blob[a:b].decode() for a, b in zip(starts, ends, strict=True)] == list(vectors.words)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_numpy_opens_our_npz_and_an_odd_width_is_no_trouble(tmp_path: Path, dim: int) -> None:
    vectors = space(np.arange(3 * dim, dtype=np.float32).reshape(3, dim))
    with np.load(save(vectors, tmp_path / "a.npz"), allow_pickle=False) as arrays:
        assert arrays["words"].tolist() == ["w0", "w1", "w2"]
        assert np.array_equal(arrays["vectors"], vectors.matrix)
    native = load(save(vectors, tmp_path / "a.safetensors"), cache=False)
    assert np.array_equal(native.matrix, vectors.matrix)


def test_a_file_of_half_floats_is_widened(tmp_path: Path) -> None:
    path, values = tmp_path / "half.safetensors", np.array([[0.5, -2.25, 1024.0]], dtype=np.float32)
    with path.open("w+b") as stream:
        writer = safetensors.Writer(stream, 3, "<f2")
        writer.append(values)
        writer.finish(Vocabulary.of(["a"]), {})
    loaded = load(path, cache=False)
    assert loaded.matrix.dtype == np.float32
    assert np.array_equal(loaded.matrix, values)


# Files of other tools -------------------------------------------------------------------------

WORDS = ["the", "of", "größe", "x_y"]
MATRIX = np.array([[0.5, -1.25], [3.0, 1e-8], [-0.0, 2.5], [1.0, 1.0]], dtype=np.float32)


@pytest.mark.parametrize("newline", [b"", b"\n"])
@pytest.mark.parametrize("final", [b"", b"\n"])
def test_word2vec_binary_is_read_with_and_without_newlines(
    tmp_path: Path, newline: bytes, final: bytes
) -> None:
    records = [w.encode() + b" " + v.tobytes() for w, v in zip(WORDS, MATRIX, strict=True)]
    path = tmp_path / "gensim.bin"
    path.write_bytes(b"4 2\n" + newline.join(records) + final)
    loaded = load(path, cache=False)
    assert list(loaded.words) == WORDS
    assert loaded.matrix.tobytes() == MATRIX.tobytes()
    assert loaded.origin["format"] == "word2vec binary"


def test_word2vec_binary_longer_than_a_block_is_read(tmp_path: Path) -> None:
    matrix = np.random.default_rng(1).normal(size=(30_000, 100)).astype(np.float32)
    loaded = load(save(space(matrix), tmp_path / "a.bin"), cache=False)
    assert loaded.matrix.tobytes() == matrix.tobytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"3 2\nabcdefghijkl ABCDEFGHb ABCDEFGH",
            "word 3: the file ends here, but the header says 3 words",
        ),
        (b"1 2\na ABCDEFGHb ABCDEFGH", "word 2: there are bytes after the 1 words"),
        (b"2 2\na ABCDEFGHb\xff ABCDEFGH", r'word 2: the word "b\\xff" is not valid UTF-8'),
        (b"2 2\na ABCDEFGH\xc3 ABCDEFGH", r'word 2: the word "\\xc3" is not valid UTF-8'),
        (b"2 2\na ABCDEFGH ABCDEFGH ", "word 2: there is no word before the numbers"),
        (
            b"2 2\na ABCD\x00\x00\x80\x7fb ABCDEFGH",
            "word 1: its vector contains a value that is not",
        ),
        (
            b"2 2\na ABCD\x00\x00\xc0\x7fb ABCDEFGH",
            "word 1: its vector contains a value that is not",
        ),
        (
            b"2 2\na ABCDEFGHa ABCDEFGI",
            'word 2: "a" already occurred in word 1 with a different vector',
        ),
        (b"2 2\na ABCDEFGHb\t ABCDEFGH", "word 2: the word contains a tab"),
        (b"3 2\na ABCDEFGH\nb ABCDEFGHc ABCDEFGH\n", "word 3: its record does not begin like"),
        (b"3 2\na ABCDEFGHb ABCDEFGH\nc ABCDEFGH\n", "word 3: its record does not begin like"),
        (b"1 2\n" + b"x" * 9000, "word 1: no space within 4,096 bytes"),
        (b"9 2\na ABCDEFGH", r"line 1: the header says 9 words of 2 numbers, which need at least"),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=message) as told:
        load(path, cache=False)
    assert str(path) in str(told.value)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("names", [("words", "vectors"), ("vocab", "matrix")])
def test_npz_of_any_float_type_and_order_is_read(
    tmp_path: Path, dtype: str, order: str, packed: bool, names: tuple[str, str]
) -> None:
    matrix = np.array(MATRIX.astype(dtype), order="F" if order == "F" else "C")
    write = np.savez_compressed if packed else np.savez
    write(tmp_path / "a.npz", **{names[0]: np.array(WORDS), names[1]: matrix})  # type: ignore[arg-type]
    loaded = load(tmp_path / "a.npz", cache=False)
    assert list(loaded.words) == WORDS
    assert np.array_equal(loaded.matrix, matrix.astype(np.float32))


def test_npz_longer_than_a_block_is_read(tmp_path: Path) -> None:
    matrix = np.random.default_rng(1).normal(size=(30_000, 60))
    words = np.array([f"w{n}" for n in range(len(matrix))])
    np.savez(tmp_path / "a.npz", words=words, vectors=matrix)
    loaded = load(tmp_path / "a.npz", cache=False)
    assert np.array_equal(loaded.matrix, matrix.astype(np.float32))


def test_npz_with_words_as_bytes_and_with_spaces_is_read(tmp_path: Path) -> None:
    words = ["New York", "größe"]
    np.savez(tmp_path / "a.npz", words=np.array([w.encode() for w in words]), vectors=MATRIX[:2])
    loaded = load(tmp_path / "a.npz", cache=False)
    assert (list(loaded.words), loaded.notes) == (words, ())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.array(["a"])}, r'no array called "vectors"; it has words\. Save it with'),
        ({"vectors": MATRIX}, r'no array called "words"'),
        (
            {"words": np.array(["a"]), "vectors": MATRIX},
            r"1 words need a float matrix with as many rows",
        ),
        ({"words": np.array([1, 2, 3, 4]), "vectors": MATRIX}, "must be a list of strings"),
        ({"words": np.array([WORDS]), "vectors": MATRIX}, "must be a list of strings"),
        ({"words": np.array(WORDS), "vectors": MATRIX.astype(int)}, "need a float matrix"),
        ({"words": np.array(WORDS), "vectors": MATRIX[:, 0]}, "need a float matrix"),
        ({"words": np.array(WORDS), "vectors": MATRIX[:, :0]}, r"vectors have 0 numbers each"),
        (
            {"words": np.array(WORDS), "vectors": MATRIX * np.nan},
            "word 1: its vector contains a value",
        ),
        (
            {"words": np.array(WORDS), "vectors": MATRIX.astype(float) * 1e300},
            "word 1: its vector contains a value",
        ),
        (
            {"words": np.array(["a", "b\ud800", "c", "d"]), "vectors": MATRIX},
            "word 2: .* not valid UTF-8",
        ),
        ({"words": np.array(["a", "", "c", "d"]), "vectors": MATRIX}, "word 2: there is no word"),
        ({"words": np.array([], dtype="U1"), "vectors": MATRIX[:0]}, "the file contains no words"),
        ({"words": np.array(WORDS), "vectors": np.array([["x"]])}, "need a float matrix"),
    ],
)
def test_npz_with_other_arrays_is_refused(
    tmp_path: Path, arrays: dict[str, NDArray[np.generic]], message: str
) -> None:
    np.savez(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises((FileFormatError, DamagedFileError), match=message):
        load(tmp_path / "a.npz", cache=False)


def test_npz_with_one_giant_word_is_not_written(tmp_path: Path) -> None:
    words = Vocabulary.of(["x" * 50_000, *(f"w{n}" for n in range(2000))])
    vectors = WordVectors(words, np.ones((len(words), 2), dtype=np.float32), Lineage("giant"))
    with pytest.raises(OutputError, match=r"space of the longest, which has 50,000 characters"):
        save(vectors, tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


# Names that cannot be written to --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "form", "message"),
    [
        ("a", None, "the suffix does not determine a format"),
        ("a.pkl", None, "the suffix does not determine a format"),
        ("a.bin.gz", None, r"only text formats can be compressed\. Remove \.gz"),
    ],
)
def test_a_name_that_says_no_format_is_refused(
    tmp_path: Path, name: str, form: str | None, message: str
) -> None:
    with pytest.raises(OutputError, match=message):
        save(load(limit=5), tmp_path / name, form)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_lists_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r'"glove-txt".*Did you mean "glove-text"'):
        save(load(limit=5), tmp_path / "a", "glove-txt")


def test_a_binary_file_refuses_a_word_with_a_space(tmp_path: Path) -> None:
    vectors = WordVectors.of({"New York": [1.0]})
    with pytest.raises(OutputError, match='"New York" cannot be written: a space ends a word'):
        save(vectors, tmp_path / "a.bin")
    assert list(tmp_path.iterdir()) == []
