"""Every direction of two groups points to the first, whoever estimated it."""

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.measures.running import measure
from unslant.subspaces.estimator import estimate, estimator_from
from unslant.vectors import WordVectors

GENDER = concept("gender")
DROP = WordPolicy(missing="drop")
OF_GENDER = (
    "pair-difference(she, he)",
    "pair-difference(he, she)",
    "pair-difference(man, woman)",
    "pair-pca(definitional)",
    "pair-pca(stability)",
    "pair-pca(equalise)",
    "pair-pca(augmentation)",
    "pair-pca(swapping)",
    "two-means(names)",
    "two-means(words)",
    "two-means(male-names-700, female-names-700)",
    "names(k=1)",
    "classifier-normal(names)",
    "classifier-normal(male, female)",
)


@pytest.mark.parametrize("expression", OF_GENDER)
def test_it_points_to_the_first_group(glove: WordVectors, expression: str) -> None:
    axis = estimate(expression, glove, GENDER, DROP).basis[0]
    lean = {w: float(glove[w] @ axis) for w in ("she", "he", "woman", "man", "queen", "king")}
    assert lean["she"] > lean["he"]
    assert lean["woman"] > lean["man"]
    assert lean["queen"] > lean["king"]


@pytest.mark.parametrize("expression", ["pair-pca(stability)", "pair-difference(he, she)"])
def test_the_most_biased_words_have_the_right_side(glove: WordVectors, expression: str) -> None:
    result = measure(f'clustering(subspace="{expression}")', glove, GENDER, DROP)
    sides = {str(point["word"]): point["side"] for point in result.points}
    expected = {"male": ("jimmy", "bobby", "coach", "captain"), "female": ("pregnant", "lingerie")}
    for side, words in expected.items():
        there = [sides[word] for word in words if word in sides]
        assert there == [side] * len(there)
        assert there, f"none of {words} is among the most biased words"


def test_an_own_concept_may_name_its_pair_in_either_order(glove: WordVectors) -> None:
    own = parse_concept(
        """
name = "own"
groups = ["women", "men"]
direction = "pair-difference(he, she)"
[words]
women = ["woman", "girl"]
men = ["man", "boy"]
[neutral]
work = ["nurse", "coach", "teacher", "engineer"]
""",
        "own.toml",
    )
    result = measure("direct-bias", glove, own)
    leans = {str(point["word"]): float(point["projection"]) for point in result.points}
    assert leans["nurse"] > 0 > leans["coach"]
    assert result.details["positive-side"] == "women"


def test_names_decide_for_a_direction_of_names(glove: WordVectors) -> None:
    """Young names and the word "young" need not lie on one side."""
    age = concept("age")
    axis = estimate(None, glove, age, DROP).basis[0]
    young, old = (
        np.mean([glove[w.lower()] / np.linalg.norm(glove[w.lower()]) for w in names], axis=0)
        for names in (age.names["young"].all_words, age.names["old"].all_words)
    )
    assert (young - old) @ axis > 0


def test_more_than_two_groups_keep_the_estimators_sign(glove: WordVectors) -> None:
    religion = concept("religion")
    chosen = str(religion.direction)
    own = estimator_from(chosen).fit(glove, religion, DROP).basis
    np.testing.assert_array_equal(estimate(None, glove, religion, DROP).basis, own)
