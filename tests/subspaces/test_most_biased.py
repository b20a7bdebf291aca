"""The most biased words: against sorting by hand, too small vocabularies, and real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import letter_words, wide_space, without_sides
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import DegenerateSubspaceError, UndefinedMeasureError
from unslant.subspaces.most_biased import BiasedWords, most_biased, probe_features
from unslant.vectors import WordVectors

TOY = small_concept()


def chosen(vectors: WordVectors, n: int, baseline: WordVectors | None = None) -> BiasedWords:
    return most_biased(
        vectors,
        TOY,
        WordPolicy(),
        by="test",
        baseline=baseline,
        subspace="",
        n=n,
        vocabulary=50_000,
    )


def test_they_are_those_with_the_largest_projections_of_the_baseline() -> None:
    after, before = wide_space(0, 500), wide_space(1, 500)
    found = chosen(after, 100, before)
    g = before["l0"].astype(float) - before["r0"].astype(float)

    def lean(word: str) -> float:
        row = before[word].astype(float)
        return float(row @ g / np.linalg.norm(row) / np.linalg.norm(g))

    order = sorted(letter_words(500), key=lean)
    assert set(found.words[:100]) == set(order[-100:])
    assert set(found.words[100:]) == set(order[:100])
    assert found.is_positive.tolist() == [True] * 100 + [False] * 100
    assert found.projections == pytest.approx([lean(word) for word in found.words], abs=1e-5)
    assert [after.words[row] for row in found.rows] == list(found.words)
    assert (found.side(0), found.side(150)) == ("left", "right")


def test_a_small_vocabulary_gives_as_many_a_side_as_it_has_and_says_so() -> None:
    found = chosen(wide_space(0, 400), 750)
    sides = [found.is_positive.sum(), (~found.is_positive).sum()]
    assert sides[0] == sides[1] < 200
    assert "750 were requested" in found.warnings[0]


def test_too_few_words_are_refused_in_one_sentence() -> None:
    with pytest.raises(UndefinedMeasureError, match="at least 100 per side are needed"):
        chosen(wide_space(0, 120), 100)
    with pytest.raises(DegenerateSubspaceError, match="same vector"):
        chosen(without_sides(wide_space(0, 400)), 100)


def test_features_have_the_length_of_the_root_of_the_dimension() -> None:
    rows = probe_features(wide_space(0, 50), np.arange(10, 20))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.sqrt(8))


def test_on_real_vectors_they_are_no_gendered_words(glove: WordVectors) -> None:
    gender = concept("gender")
    found = most_biased(
        glove, gender, WordPolicy(), by="test", subspace="", n=500, vocabulary=50_000
    )
    assert not {"she", "mother", "king", "actress"} & set(found.words)
    assert {"pregnant", "lingerie"} & set(found.words[:500])
    assert found.side(0) == "female"
    assert found.projections[:500].min() > 0.15
    assert found.projections[500:].max() < -0.1
