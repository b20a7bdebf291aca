"""Association of one's own words: against a plain loop, by its coverage, and on real vectors."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.spaces import space
from unslant.concepts import WordPolicy
from unslant.core.errors import MissingWordsError, UndefinedMeasureError, UnslantError
from unslant.core.exhibits import Point, Points
from unslant.studies import association as associations
from unslant.vectors import WordVectors

FEMALE = ["she", "her", "woman", "mother", "daughter", "girl", "sister", "female"]
MALE = ["he", "his", "man", "father", "son", "boy", "brother", "male"]
GROUPS = {"female": FEMALE, "male": MALE}


def association(
    vectors: WordVectors,
    words: list[str],
    groups: Mapping[str, list[str]],
    policy: WordPolicy | None = None,
) -> dict[str, Any]:
    """The numbers of the record, contrast by contrast."""
    record = associations.association(vectors, words, groups, policy)
    parts = [exhibit for exhibit in record.exhibits if isinstance(exhibit, Points)]
    uses = record.results[0].now.words
    return {
        "contrasts": [
            {
                "group": part.part.partition(" against ")[0],
                "words": [_numbers(point) for point in part.points[:-1]],
                "mean": _numbers(part.points[-1]),
            }
            for part in parts
        ],
        "words": [asdict(use) for use in uses],
        "warnings": list(record.warnings),
    }


def _numbers(point: Point) -> dict[str, Any]:
    return {"word": point.label, "value": point.x, "low": point.low, "high": point.high}


def cosine(one: list[float], other: list[float]) -> float:
    product = sum(x * y for x, y in zip(one, other, strict=True))
    return product / math.sqrt(sum(x * x for x in one)) / math.sqrt(sum(y * y for y in other))


def plainly(vectors: WordVectors, word: str, groups: dict[str, list[str]], group: str) -> float:
    """The formula, word by word: the mean with a group less the mean of the others' means."""
    means = {
        name: sum(cosine(vectors[word].tolist(), vectors[w].tolist()) for w in members)
        / len(members)
        for name, members in groups.items()
    }
    rest = [value for name, value in means.items() if name != group]
    return means[group] - sum(rest) / len(rest)


def test_each_value_is_that_of_a_plain_loop(glove: WordVectors) -> None:
    words = ["nurse", "engineer", "teacher", "boss"]
    [contrast] = association(glove, words, GROUPS)["contrasts"]
    values = [item["value"] for item in contrast["words"]]
    expected = [plainly(glove, word, GROUPS, "female") for word in words]
    assert values == pytest.approx(expected, abs=1e-12)
    assert contrast["mean"]["value"] == pytest.approx(sum(expected) / 4, abs=1e-12)


def test_with_more_than_two_groups_each_stands_against_the_mean_of_the_others(
    glove: WordVectors,
) -> None:
    groups = {**GROUPS, "neither": ["person", "someone", "people"]}
    contrasts = association(glove, ["nurse", "engineer"], groups)["contrasts"]
    assert [item["group"] for item in contrasts] == ["female", "male", "neither"]
    for contrast in contrasts:
        for item in contrast["words"]:
            expected = plainly(glove, item["word"], groups, contrast["group"])
            assert item["value"] == pytest.approx(expected, abs=1e-12)


def test_turning_the_groups_round_turns_the_sign(glove: WordVectors) -> None:
    [one] = association(glove, ["nurse"], GROUPS)["contrasts"]
    [other] = association(glove, ["nurse"], {"male": MALE, "female": FEMALE})["contrasts"]
    first, second = one["words"][0], other["words"][0]
    assert first["value"] == pytest.approx(-second["value"], abs=1e-12)
    assert (first["low"], first["high"]) == pytest.approx((-second["high"], -second["low"]))


def by_hand() -> WordVectors:
    rows = {"w": [1, 0], "a1": [1, 0], "a2": [0, 1], "b1": [3, 4], "b2": [-1, 0], "w2": [0, 2]}
    return space(list(rows), np.array(list(rows.values()), dtype=float))


def test_a_case_worked_by_hand() -> None:
    record = association(by_hand(), ["w"], {"a": ["a1", "a2"], "b": ["b1", "b2"]})
    [item] = record["contrasts"][0]["words"]
    assert item["value"] == pytest.approx((1 + 0) / 2 - (0.6 - 1) / 2)
    # Two words that lie far apart tell nothing: the interval is all that cosines allow.
    assert (item["low"], item["high"]) == (-2, 2)
    assert any("2 words in use" in warning for warning in record["warnings"])


def test_groups_without_any_spread_have_an_interval_of_no_width() -> None:
    vectors = space(
        ["w", "a1", "a2", "b1", "b2"], np.array([[1.0, 0]] + [[0, 1]] * 2 + [[2, 0]] * 2)
    )
    [item] = association(vectors, ["w"], {"a": ["a1", "a2"], "b": ["b1", "b2"]})["contrasts"][0][
        "words"
    ]
    assert (item["low"], item["value"], item["high"]) == (-1, -1, -1)


@pytest.mark.parametrize(("first", "second"), [(8, 8), (3, 8), (2, 5)])
def test_the_interval_of_a_word_is_that_of_scipys_welch_test(
    first: int, second: int, glove: WordVectors
) -> None:
    groups = {"female": FEMALE[:first], "male": MALE[:second]}
    items = association(glove, ["nurse", "engineer"], groups)["contrasts"][0]["words"]
    for item in items:
        one, other = (
            [cosine(glove[item["word"]].tolist(), glove[word].tolist()) for word in words]
            for words in groups.values()
        )
        expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
        assert (item["low"], item["high"]) == pytest.approx(
            (max(expected.low, -2), min(expected.high, 2)), abs=1e-9
        )


def test_one_word_alone_has_no_interval_and_a_group_says_so() -> None:
    record = association(by_hand(), ["w", "w2"], {"a": ["a1"], "b": ["b1", "b2"]})
    [contrast] = record["contrasts"]
    assert all(item["low"] is None for item in (*contrast["words"], contrast["mean"]))
    assert any("“a” has one word in use" in warning for warning in record["warnings"])


def populations(count: int) -> tuple[WordVectors, NDArray[np.float64]]:
    """Two groups of many words around directions of their own, many words, and all cosines."""
    rng = np.random.default_rng(0)
    groups = [rng.normal(0.25, 1, (count, 20)) + rng.normal(size=20) * 0.3]
    groups += [rng.normal(-0.05, 1, (count, 20))]
    names = [f"{side}{number}" for side in "wab" for number in range(count)]
    vectors = space(names, np.concatenate([rng.normal(0.1, 1, (count, 20)), *groups]))
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    cosines = unit[:count] @ unit[count:].T
    return vectors, cosines[:, :count].mean(axis=1) - cosines[:, count:].mean(axis=1)


def drawn_words(rng: np.random.Generator, side: str, size: int, count: int) -> list[str]:
    return [f"{side}{number}" for number in rng.choice(count, size, replace=False)]


@pytest.mark.parametrize(("first", "second"), [(2, 2), (8, 25)])
def test_the_interval_of_a_word_covers_the_truth_as_often_as_it_says(
    first: int, second: int
) -> None:
    """Groups drawn anew from two populations; what all of their words would give is the truth."""
    count, rounds = 600, 200
    vectors, truth = populations(count)
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(rounds):
        groups = {
            "a": drawn_words(rng, "a", first, count),
            "b": drawn_words(rng, "b", second, count),
        }
        [item] = association(vectors, ["w0"], groups)["contrasts"][0]["words"]
        covered += item["low"] <= truth[0] <= item["high"]
    # 95 % of 200 rounds, less three standard errors.
    assert covered / rounds >= 0.9


@pytest.mark.parametrize(("words", "size"), [(3, 3), (12, 8)])
def test_the_interval_of_the_list_covers_the_mean_of_all_words_that_could_be_in_it(
    words: int, size: int
) -> None:
    count, rounds = 600, 200
    vectors, truth = populations(count)
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(rounds):
        groups = {side: drawn_words(rng, side, size, count) for side in "ab"}
        asked = drawn_words(rng, "w", words, count)
        mean = association(vectors, asked, groups)["contrasts"][0]["mean"]
        covered += mean["low"] <= truth.mean() <= mean["high"]
    assert covered / rounds >= 0.9


def test_the_interval_of_a_list_grows_with_the_spread_of_its_words(glove: WordVectors) -> None:
    same = association(glove, ["engineer", "mechanic", "technician"], GROUPS)["contrasts"][0][
        "mean"
    ]
    mixed = association(glove, ["engineer", "nurse", "queen"], GROUPS)["contrasts"][0]["mean"]
    assert mixed["high"] - mixed["low"] > same["high"] - same["low"]


def test_missing_words_are_named_and_repeated_ones_count_once(glove: WordVectors) -> None:
    groups = {"female": [*FEMALE, "qqzzq", "she"], "male": MALE}
    record = association(glove, ["nurse", "zzqqz", "nurse"], groups)
    uses = {use["set"]: use for use in record["words"]}
    assert uses["words"]["missing"] == ("zzqqz",)
    assert uses["words"]["used"] == ("nurse",)
    assert uses["female"]["missing"] == ("qqzzq",)
    assert uses["female"]["used"] == tuple(FEMALE)
    plain = association(glove, ["nurse"], GROUPS)["contrasts"][0]["words"]
    assert record["contrasts"][0]["words"][0]["value"] == pytest.approx(plain[0]["value"])


def test_a_word_that_is_also_in_a_group_is_pointed_out(glove: WordVectors) -> None:
    record = association(glove, ["she", "nurse"], GROUPS)
    assert any("“she” is asked about and also in “female”" in item for item in record["warnings"])


def test_a_word_of_both_groups_is_pointed_out(glove: WordVectors) -> None:
    record = association(glove, ["nurse"], {"female": FEMALE, "male": [*MALE, "her"]})
    assert "“her” is in both “female” and “male”, and cannot tell them apart." in record["warnings"]
    seven = association(glove, ["nurse"], {"one": FEMALE[:7], "other": FEMALE[:7]})["warnings"]
    assert any("and 2 more are in both" in warning for warning in seven)
    assert association(glove, ["nurse"], GROUPS)["warnings"] == []


@pytest.mark.parametrize(
    ("words", "groups", "sentence"),
    [
        ([], GROUPS, "no word to ask about"),
        (["nurse"], {"female": FEMALE}, "at least two groups"),
        (["nurse"], {"female": FEMALE, "male": []}, 'The group "male" has no words'),
        (["nurse"], {"words": FEMALE, "male": MALE}, "cannot be called"),
    ],
)
def test_questions_without_an_answer_are_refused(
    words: list[str], groups: dict[str, list[str]], sentence: str, glove: WordVectors
) -> None:
    with pytest.raises(UnslantError, match=sentence):
        association(glove, words, groups)


def test_a_list_or_group_without_one_known_word_is_refused(glove: WordVectors) -> None:
    with pytest.raises(UndefinedMeasureError, match="contains none of the 1 words"):
        association(glove, ["zzqqz"], GROUPS)
    with pytest.raises(UndefinedMeasureError, match="contains none of the 2 words"):
        association(glove, ["nurse"], {"a": ["zzqqz", "qqzzq"], "male": MALE})
    with pytest.raises(MissingWordsError):
        association(glove, ["nurse", "zzqqz"], GROUPS, WordPolicy(missing="fail"))


def test_a_zero_vector_has_no_cosine_and_is_named() -> None:
    vectors = space(["w", "a", "b"], np.array([[0.0, 0], [1, 0], [0, 1]]))
    with pytest.raises(UndefinedMeasureError, match='"w" has the zero vector'):
        association(vectors, ["w"], {"a": ["a"], "b": ["b"]})


def test_the_same_question_has_the_same_answer_bit_for_bit(glove: WordVectors) -> None:
    one = json.dumps(association(glove, ["nurse", "boss"], GROUPS), allow_nan=False)
    assert one == json.dumps(association(glove, ["nurse", "boss"], GROUPS))


def test_occupations_lean_as_the_published_lists_say(glove: WordVectors) -> None:
    words = ["nurse", "homemaker", "receptionist", "engineer", "boss", "mechanic"]
    found = association(glove, words, GROUPS)["contrasts"][0]["words"]
    assert [item["value"] > 0 for item in found] == [True] * 3 + [False] * 3
