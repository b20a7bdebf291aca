"""The value that everything measures: read-only, and known by its content."""

from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError, MissingWordsError, UnslantError
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors, load
from unslant.vectors.save import save

TINY = {"she": [1.0, 0.0], "he": [0.0, 1.0], "they": [0.5, 0.5], "it": [0.0, 0.0]}


@pytest.fixture
def tiny() -> WordVectors:
    return WordVectors.of(TINY, name="tiny")


def test_the_matrix_cannot_be_written_to(tiny: WordVectors) -> None:
    for array in (tiny.matrix, tiny["he"], tiny.head(2).matrix, tiny.only(["it", "he"]).matrix):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 5
    assert tiny["he"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["a.safetensors", "a.txt"])
def test_loaded_vectors_cannot_be_written_to(tmp_path: Path, tiny: WordVectors, name: str) -> None:
    path = save(tiny, tmp_path / name)
    for loaded in (load(path), load(path, cache=False), load(path)):
        with pytest.raises(ValueError, match="read-only"):
            loaded.matrix[0, 0] = 5
    content = path.read_bytes()
    assert load(path).matrix.tobytes() == tiny.matrix.tobytes()
    assert path.read_bytes() == content


def test_taking_part_leaves_the_whole_as_it_was(tiny: WordVectors) -> None:
    before = (tiny.content_hash, dict(tiny.origin), tiny.notes, len(tiny))
    tiny.head(1)
    tiny.only(["he", "nobody"])
    assert (tiny.content_hash, tiny.origin, tiny.notes, len(tiny)) == before


def test_the_content_hash_is_the_same_whatever_the_file(tmp_path: Path) -> None:
    vectors = load(limit=300)
    hashes = {
        load(save(vectors, tmp_path / name), cache=cache).content_hash
        for name in ("a.safetensors", "b.npz", "c.bin", "d.vec", "e.txt", "f.txt.gz", "g.vec.xz")
        for cache in (False, True)
    }
    assert hashes == {vectors.content_hash}


@pytest.mark.parametrize(
    "other",
    [
        {**TINY, "she": [1.0, 1e-7]},
        {**TINY, "it": [-0.0, 0.0]},
        {("him" if word == "he" else word): vector for word, vector in TINY.items()},
        dict(reversed(TINY.items())),
        dict(list(TINY.items())[:3]),
        {word: [*vector, 0.0] for word, vector in TINY.items()},
        {"sh": [1.0, 0.0], "ehe": [0.0, 1.0], "they": [0.5, 0.5], "it": [0.0, 0.0]},
    ],
)
def test_any_other_content_has_another_hash(
    tiny: WordVectors, other: dict[str, list[float]]
) -> None:
    assert WordVectors.of(other).content_hash != tiny.content_hash


def test_the_content_hash_does_not_depend_on_the_name(tiny: WordVectors) -> None:
    assert WordVectors.of(TINY, name="other").content_hash == tiny.content_hash


def test_a_large_matrix_has_the_hash_of_its_parts_in_one_piece() -> None:
    matrix = np.random.default_rng(0).normal(size=(20_000, 100)).astype(np.float32)
    words = Vocabulary.of([str(number) for number in range(len(matrix))])
    whole = WordVectors(words, matrix, Lineage("a"))
    turned = WordVectors(words, np.asfortranarray(matrix), Lineage("a"))
    assert turned.content_hash == whole.content_hash


def test_the_head_is_the_first_words(tiny: WordVectors) -> None:
    two = tiny.head(2)
    assert list(two.words) == ["she", "he"]
    assert two.matrix.tolist() == [[1, 0], [0, 1]]
    assert two.origin["limit"] == 2
    assert tiny.head(99) is tiny
    assert tiny.head(4).content_hash == tiny.content_hash
    assert two.content_hash == WordVectors.of({w: TINY[w] for w in ("she", "he")}).content_hash


@pytest.mark.parametrize("count", [0, -1])
def test_a_limit_of_no_words_is_refused(tiny: WordVectors, count: int) -> None:
    with pytest.raises(UnslantError, match=f"at least 1 word. Got {count} instead"):
        tiny.head(count)
    with pytest.raises(UnslantError, match=f"at least 1 word. Got {count} instead"):
        load(limit=count)


def test_only_keeps_the_order_of_the_file_and_counts_what_is_absent(tiny: WordVectors) -> None:
    chosen = tiny.only(["they", "she", "she", "nobody", "none", "none"])
    assert list(chosen.words) == ["she", "they"]
    assert chosen.matrix.tolist() == [[1, 0], [0.5, 0.5]]
    assert chosen.notes == ("2 requested words are missing from the file",)
    assert chosen.origin["only"] == 2
    assert tiny.only(["he"]).notes == ()


def test_only_words_that_are_not_there_is_refused(tiny: WordVectors) -> None:
    with pytest.raises(UnslantError, match="None of the 2 requested words is in tiny"):
        tiny.only(["She", "nobody"])


def test_a_word_that_is_not_there_is_told(tiny: WordVectors) -> None:
    with pytest.raises(MissingWordsError, match=r'missing from tiny .*"nobody"'):
        tiny["nobody"]


def test_zero_vectors_are_counted(tiny: WordVectors) -> None:
    assert tiny.count_zero_vectors() == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e39])
def test_values_that_are_no_finite_float32_are_refused_by_word(bad: float) -> None:
    with pytest.raises(DamagedFileError, match='the vector of "he" contains a value that is not'):
        WordVectors.of({"she": [1.0, 0.0], "he": [bad, 1.0]})


@pytest.mark.parametrize(
    "vectors",
    [{}, {"a": []}, {"a": [1.0], "b": [1.0, 2.0]}, {"": [1.0]}, {"a\nb": [1.0]}, {"\ud800": [1.0]}],
)
def test_what_is_no_set_of_vectors_is_refused(vectors: dict[str, list[float]]) -> None:
    with pytest.raises(UnslantError, match=r"same length|cannot have a vector"):
        WordVectors.of(vectors)


def test_words_and_rows_must_agree() -> None:
    words = Vocabulary.of(["a", "b"])
    with pytest.raises(UnslantError, match=r"2 words need a matrix.*\(3, 2\)"):
        WordVectors(words, np.zeros((3, 2), dtype=np.float32), Lineage("x"))
    with pytest.raises(UnslantError, match="must be float32, not float64"):
        WordVectors(words, np.zeros((2, 2)), Lineage("x"))  # type: ignore[arg-type]


def test_it_says_what_it_is(tiny: WordVectors) -> None:
    assert repr(tiny) == "<WordVectors tiny (4 words × 2)>"
    assert ("he" in tiny, "He" in tiny, 3 in tiny) == (True, False, False)
