"""Words as rows of one length, those that the vectors lack made from their hash."""

import subprocess
import sys

import numpy as np
import pytest

from tests.spaces import space
from unslant.models.nli.batches import Embedding
from unslant.vectors import WordVectors

WORDS = ["man", "Paris", "NASA", "nothing", "iPod", "Dog", "dog"]


@pytest.fixture
def vectors() -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 16))
    matrix *= np.array([1e-3, 1e-2, 0.1, 1, 10, 100, 1e3])[:, None]
    matrix[WORDS.index("nothing")] = 0
    return space(WORDS, matrix)


def test_every_row_has_length_half_the_root_of_the_dimension(vectors: WordVectors) -> None:
    embedding = Embedding(vectors)
    rows = embedding.rows(["man", "paris", "unheard", "Dog", "zzz"])
    assert embedding.length == pytest.approx(np.sqrt(16) / 2)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 2.0, rtol=1e-6)


def test_a_row_points_where_its_vector_does(vectors: WordVectors) -> None:
    row = Embedding(vectors).rows(["man"])[0].astype(float)
    vector = vectors.matrix[0].astype(float)
    np.testing.assert_allclose(row, vector * 2 / np.sqrt((vector**2).sum()), rtol=1e-6)


def test_a_zero_vector_stays_zero(vectors: WordVectors) -> None:
    assert not Embedding(vectors).rows(["nothing"]).any()


def test_lower_case_words_find_vectors_of_any_case(vectors: WordVectors) -> None:
    embedding = Embedding(vectors)
    assert embedding.missing(["man", "paris", "nasa", "dog"]) == ()
    asked = embedding.rows(["paris", "nasa", "dog"])
    assert np.array_equal(asked, embedding.rows(["Paris", "NASA", "dog"]))
    assert not np.array_equal(asked[2], embedding.rows(["Dog"])[0])


def test_missing_words_are_told_in_the_order_asked(vectors: WordVectors) -> None:
    asked = ["unheard", "man", "ipod", "unheard"]
    assert Embedding(vectors).missing(asked) == ("unheard", "ipod", "unheard")


def test_a_hashed_word_is_the_same_in_any_company_and_unlike_any_other(
    vectors: WordVectors,
) -> None:
    embedding = Embedding(vectors)
    made = [f"made{number}" for number in range(300)]
    rows = embedding.rows(made)
    assert np.array_equal(rows[::-1], embedding.rows(["man", *made[::-1]])[1:])
    assert len(np.unique(rows, axis=0)) == len(made)
    cosines = rows @ rows.T / embedding.length**2
    assert abs(cosines[~np.eye(len(made), dtype=bool)].mean()) < 0.02


def test_a_hashed_word_is_the_same_in_another_process(vectors: WordVectors) -> None:
    script = (
        "import numpy as np; from tests.spaces import space;"
        "from unslant.models.nli.batches import Embedding;"
        "embedding = Embedding(space(['a'], np.ones((1, 16))));"
        "print(embedding.rows(['unheard', 'naïve']).tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": ":".join(filter(None, [".", *sys.path]))},
    )
    here = Embedding(vectors).rows(["unheard", "naïve"])
    assert done.stdout.strip() == here.tobytes().hex()


def test_the_vector_of_a_hashed_word_is_what_it_always_was() -> None:
    """Trained models depend on it, so it can never change."""
    row = Embedding(space(["a"], np.ones((1, 4)))).rows(["unheard"])[0]
    np.testing.assert_allclose(row, [0.4538106, 0.5428940, 0.6997900, 0.09806117], rtol=1e-6)


def test_two_debiased_spaces_give_a_missing_word_the_same_vector(glove: WordVectors) -> None:
    from unslant.concepts import concept
    from unslant.methods.pipeline import debias

    absent = "qwertzuiop"
    spaces = [glove, *(debias(method, glove, concept("gender")) for method in ("linear", "hard"))]
    rows = [Embedding(each).rows([absent, "nurse"]) for each in spaces]
    for each, found in zip(spaces, rows, strict=True):
        assert Embedding(each).missing([absent, "nurse"]) == (absent,)
        assert np.array_equal(found[0], rows[0][0])
    assert not np.array_equal(rows[0][1], rows[1][1])
    np.testing.assert_allclose(np.linalg.norm(np.concatenate(rows), axis=1), 5.0, rtol=1e-5)


def test_no_words_give_no_rows(vectors: WordVectors) -> None:
    assert Embedding(vectors).rows([]).shape == (0, 16)
