"""Which words get which label."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.spaces import small_concept, space
from tests.wide import letter_words, wide_space
from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.methods.chains import chain_of
from unslant.methods.labelled_words import Labelled, labelled_words
from unslant.subspaces.most_biased import most_biased
from unslant.vectors import WordVectors, load

DROP = WordPolicy(missing="drop")


def labelled(vectors, subject, on="leaning", n=150, neutral=False, subspace="") -> Labelled:  # type: ignore[no-untyped-def]
    return labelled_words(
        vectors, subject, DROP, by="inlp", on=on, n=n, neutral=neutral, subspace=subspace
    )


def rows_of(vectors: WordVectors, found: Labelled) -> NDArray[np.int64]:
    return vectors.words.rows_of(found.items)


def test_two_groups_get_the_words_that_the_metrics_call_most_biased() -> None:
    vectors, subject = load(), concept("gender")
    found = labelled(vectors, subject, n=1500)
    biased = most_biased(vectors, subject, DROP, by="inlp", subspace="", n=1500, vocabulary=150_000)
    assert found.classes == ("female", "male")
    for label, side in enumerate((biased.is_positive, ~biased.is_positive)):
        mine = set(rows_of(vectors, found)[found.labels == label].tolist())
        assert mine == set(biased.rows[side].tolist())
    assert found.warnings == ()


def test_neutral_words_are_those_with_the_smallest_cosine_and_a_class_of_their_own() -> None:
    vectors = wide_space(0, 1000, lean=1.0)
    found = labelled(vectors, small_concept(), neutral=True, n=100)
    assert found.classes == ("left", "right", "neutral")
    assert np.bincount(found.labels).tolist() == [100, 100, 100]
    assert len(set(rows_of(vectors, found).tolist())) == 300
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    along = unit[0] - unit[3]  # l0 and r0 are of nearly the same length
    cosines = unit @ (along / np.linalg.norm(along))
    neutral = rows_of(vectors, found)[found.labels == 2]
    others = np.setdiff1d(np.arange(10, 1010), rows_of(vectors, found))
    assert np.abs(cosines[neutral]).max() <= np.abs(cosines[others]).min() + 1e-3
    assert (cosines[rows_of(vectors, found)[found.labels == 0]] > 0).all()
    assert (cosines[rows_of(vectors, found)[found.labels == 1]] < 0).all()


def test_small_vocabularies_give_fewer_words_and_say_so() -> None:
    found = labelled(load(), concept("gender"), n=7500)
    assert np.bincount(found.labels).tolist() == [35_313 // 20] * 2
    assert found.warnings == ("learned from only 1,765 words per group; 7,500 were requested",)


def test_each_of_many_groups_gets_the_words_nearest_to_its_own_direction() -> None:
    matrix = np.random.default_rng(0).normal(size=(906, 4))
    matrix[:6] = np.repeat(np.eye(3, 4), 2, axis=0) + 0.1 * matrix[:6]
    words = ["a1", "a2", "b1", "b2", "c1", "c2", *letter_words(900)]
    subject = parse_concept(
        'name = "three"\ntitle = "Three"\ngroups = ["a", "b", "c"]\n[words]\n'
        'a = ["a1", "a2"]\nb = ["b1", "b2"]\nc = ["c1", "c2"]\n',
        "three.toml",
    )
    vectors = space(words, matrix)
    found = labelled(vectors, subject, neutral=True, n=100)
    assert found.classes == ("a", "b", "c", "neutral")
    assert np.bincount(found.labels).tolist() == [100] * 4

    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    means = [(unit[0] + unit[1]) / 2, (unit[2] + unit[3]) / 2, (unit[4] + unit[5]) / 2]
    centre = sum(means) / 3
    cosines = np.stack([unit @ (m - centre) / np.linalg.norm(m - centre) for m in means], axis=1)
    for label in range(3):
        mine = [row for row in range(6, 906) if cosines[row].argmax() == label]
        best = sorted(mine, key=lambda row: -cosines[row, label])[:100]
        assert rows_of(vectors, found)[found.labels == label].tolist() == best
    taken = set(rows_of(vectors, found)[found.labels < 3].tolist())
    left = sorted(set(range(6, 906)) - taken, key=lambda row: cosines[row].max())
    assert rows_of(vectors, found)[found.labels == 3].tolist() == left[:100]
    used = {word for use in found.uses if use.set in "abc" for word in use.used}
    assert used == {"a1", "a2", "b1", "b2", "c1", "c2"}


def test_words_and_names_carry_the_label_of_their_group() -> None:
    vectors, subject = wide_space(0), small_concept()
    found = labelled(vectors, subject, on="words")
    assert rows_of(vectors, found).tolist() == [0, 1, 2, 3, 4, 5]
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    fewer = wide_space(0).only([w for w in wide_space(0).words if w != "l2"])
    [left, _] = labelled(fewer, subject, on="names").uses
    assert (left.used, left.missing) == (("l0", "l1"), ("l2",))


def test_a_word_of_two_groups_is_set_aside() -> None:
    subject = parse_concept(
        'name = "two"\ntitle = "Two"\ngroups = ["a", "b"]\n[words]\n'
        'a = ["l0", "l1", "n0"]\nb = ["r0", "r1", "n0"]\n',
        "two.toml",
    )
    vectors = wide_space(0)
    found = labelled(vectors, subject, on="words")
    assert rows_of(vectors, found).tolist() == [0, 1, 3, 4]
    assert [use.used for use in found.uses] == [("l0", "l1"), ("r0", "r1")]
    assert [use.set_aside for use in found.uses] == [("n0",), ("n0",)]


def test_what_cannot_be_labelled_is_refused_in_words() -> None:
    for method in ("inlp", "rlace", "leace", "sal"):
        with pytest.raises(ExpressionError, match="one of leaning, words, names"):
            chain_of(f"{method}(on=letters)")
        with pytest.raises(ExpressionError, match="must be at least 100"):
            chain_of(f"{method}(n=5)")
    with pytest.raises(UndefinedMeasureError, match="100 plain words"):
        labelled(wide_space(0, 150), small_concept())
    with pytest.raises(ExpressionError, match="can label words for two groups"):
        labelled(load(), concept("religion"), subspace="random(k=1)")
    with pytest.raises(ExpressionError, match="needs names for every group"):
        labelled(load(), concept("religion"), on="names")
