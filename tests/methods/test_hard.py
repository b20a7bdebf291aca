"""Hard Debias: its two theorems, a plain second implementation, many groups and odd words."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from unslant.concepts import Concept, WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.measures.running import measure
from unslant.methods.pipeline import debias, fit
from unslant.methods.specific_words import cased, pair_subspace, specific_words
from unslant.numerics.linalg import equalised
from unslant.vectors import WordVectors, load

GENDER = concept("gender")


@pytest.fixture(scope="module")
def hard() -> WordVectors:
    return debias("hard", load(), GENDER)


def neutral_rows(vectors: WordVectors, subject: Concept) -> list[int]:
    spared = set(specific_words(subject))
    return [row for row, word in enumerate(vectors.words) if word not in spared]


def test_neutral_words_have_no_direct_bias(hard: WordVectors) -> None:
    spared = set(specific_words(GENDER))
    before = measure("direct-bias", load(), GENDER)
    after = measure("direct-bias", hard, GENDER)
    sizes = {point["word"]: point["size"] for point in after.points}
    neutral = [size for word, size in sizes.items() if word not in spared]
    assert len(neutral) > 150
    assert max(float(size) for size in neutral) < 1e-6
    assert before.value is not None
    assert before.value > 0.05


def test_equalised_words_are_equally_far_from_every_neutral_word(hard: WordVectors) -> None:
    neutral = hard.matrix[neutral_rows(hard, GENDER)].astype(np.float64)
    checked = 0
    for row in GENDER.table("equalise").rows:
        pair = [str(word).lower() for word in row]
        if all(word in hard for word in pair):
            a, b = (hard[word].astype(np.float64) for word in pair)
            np.testing.assert_allclose(neutral @ a, neutral @ b, atol=1e-6)
            assert not np.allclose(a, b)
            checked += 1
    assert checked > 30


def test_a_plain_second_implementation_gives_the_same(
    glove: WordVectors, hard: WordVectors
) -> None:
    """Word by word, as the method is described for one direction."""
    unit = {
        w: v / np.linalg.norm(v)
        for w, v in zip(glove.words, glove.matrix.astype(float), strict=True)
    }
    pairs = [[str(w) for w in row] for row in GENDER.table("definitional").rows]
    rows = []
    for a, b in pairs:
        if a.lower() in unit and b.lower() in unit:
            centre = (unit[a.lower()] + unit[b.lower()]) / 2
            rows += [unit[a.lower()] - centre, unit[b.lower()] - centre]
    g = np.linalg.svd(np.array(rows))[2][0]
    spared = set(specific_words(GENDER))
    done = dict(unit)
    for word, vector in unit.items():
        if word not in spared:
            done[word] = vector - (vector @ g) * g
            done[word] /= np.linalg.norm(done[word])
    taken: set[str] = set()
    for row in GENDER.table("equalise").rows:
        forms = [[f(str(w)) for w in row] for f in (str.lower, str.title, str.upper)]
        for a, b in forms:
            if a in unit and b in unit and a != b and not taken & {a, b}:
                taken |= {a, b}
                y = (unit[a] + unit[b]) / 2
                y -= (y @ g) * g
                z = np.sqrt(max(0, 1 - y @ y)) * np.sign((unit[a] - unit[b]) @ g)
                done[a], done[b] = y + z * g, y - z * g
    expected = np.array([done[word] for word in glove.words])
    np.testing.assert_allclose(hard.matrix, expected, atol=1e-5)
    assert len(taken) > 60
    assert {"dad", "mom"} <= taken, "listed in Title case, written in lower case"


@pytest.mark.parametrize("name", ["race-multi", "religion"])
def test_three_groups_lose_a_plane_and_tuples_are_equalised(name: str, glove: WordVectors) -> None:
    subject = concept(name)
    after = debias("hard", glove, subject)
    basis = pair_subspace("", glove, subject, WordPolicy(missing="drop")).basis
    assert basis.shape[0] == 2
    neutral = after.matrix[neutral_rows(after, subject)].astype(np.float64)
    assert np.abs(neutral @ basis.T).max() < 1e-6
    equal = fit("hard", glove, subject).stages[0].words[-2]
    words = [w for w in subject.table("definitional").rows[0] if str(w) in equal.used]
    assert len(words) == 3
    products = np.array([neutral @ after[str(word)].astype(np.float64) for word in words])
    np.testing.assert_allclose(products, products[:1].repeat(3, axis=0), atol=1e-6)


def test_equalised_vectors_by_hand_have_length_1_and_opposite_sides() -> None:
    units = np.array([[0.8, 0.6, 0.0], [-0.6, 0.0, 0.8]])
    made = equalised(units, np.array([[1.0, 0, 0]]))
    assert made is not None
    root = np.sqrt(1 - 0.3**2 - 0.4**2)
    np.testing.assert_allclose(made, [[root, 0.3, 0.4], [-root, 0.3, 0.4]])


def test_words_without_a_side_are_left_and_named() -> None:
    assert equalised(np.array([[0.6, 0.8], [0.6, -0.8]]), np.array([[1.0, 0]])) is None
    matrix = np.array(
        [[1, 0.2, 0], [-1, 0.2, 0], [0.9, 0, 0.3], [-0.9, 0, 0.3], [0, 1, 1], [0, 1, -1], [1, 1, 1]]
    )
    vectors = space(["l0", "r0", "l1", "r1", "l2", "r2", "w"], matrix)
    stage = fit("hard", vectors, small_concept()).stages[0]
    assert any("l2, r2" in warning for warning in stage.warnings)


def test_a_row_that_shares_a_word_with_an_earlier_one_is_set_aside() -> None:
    toy = parse_concept(
        """
name = "toy"
title = "Toy"
groups = ["left", "right"]
direction = "pair-difference(l0, r0)"
[words]
left = ["l0"]
right = ["r0"]
[sets]
equalise = { columns = ["left", "right"], rows = [["l0", "r0"], ["l0", "r1"], ["l2", "gone"]] }
""",
        "toy.toml",
    )
    rng = np.random.default_rng(0)
    vectors = space(["l0", "r0", "r1", "l2", "L0", "R0", "w"], rng.normal(size=(7, 5)))
    stage = fit("hard", vectors, toy).stages[0]
    use = stage.words[-2]
    assert use.used == ("l0", "r0", "L0", "R0")
    assert use.set_aside == ("r1", "l2")
    assert use.missing == ("gone",)


def test_forms_of_a_word_are_lower_title_and_upper_case() -> None:
    assert cased(["she", "Mary"]) == ("she", "She", "SHE", "Mary", "mary", "MARY")


def test_only_the_named_list_is_kept_where_one_is_named() -> None:
    vectors = load(limit=5000)
    few = fit("hard(keep=gender-specific-seed)", vectors, GENDER).stages[0].details
    all_of_them = fit("hard", vectors, GENDER).stages[0].details
    assert int(str(few["words-left-alone"])) < int(str(all_of_them["words-left-alone"]))
