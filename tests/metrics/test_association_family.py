"""The measures of association tests: each against its formula, written out word by word."""

import json
from collections.abc import Callable
from itertools import combinations, permutations
from math import dist, sqrt
from statistics import mean, pstdev, stdev

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.spaces import space
from unslant.concepts import AssociationTest, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import UndefinedMeasureError, UnknownNameError, UnslantError
from unslant.measures.running import measure
from unslant.vectors import WordVectors

X, Y = ["x0", "x1", "x2"], ["y0", "y1", "y2"]
A, B = ["a0", "a1", "a2", "a3"], ["b0", "b1", "b2", "b3"]
WORDS = [*X, *Y, *A, *B]
FAMILY = ["sc-weat", "single-attribute-weat", "generalised-weat", "rnd", "ect", "mac", "bat"]
SIGNED = ["single-attribute-weat", "sc-weat"]


def association_test(
    targets: dict[str, list[str]], attributes: dict[str, list[str]]
) -> AssociationTest:
    def table(sets: dict[str, list[str]]) -> str:
        return ", ".join(f"{name} = {json.dumps(words)}" for name, words in sets.items())

    text = f'name = "t"\n[tests.one]\ntargets = {{ {table(targets)} }}\n'
    return parse_concept(f"{text}attributes = {{ {table(attributes)} }}", "t").test("one")


TEST = association_test({"x": X, "y": Y}, {"a": A, "b": B})


def random_space(seed: int, dim: int = 7) -> WordVectors:
    return space(WORDS, np.random.default_rng(seed).normal(size=(len(WORDS), dim)))


def plain(vectors: WordVectors) -> dict[str, list[float]]:
    return {word: [float(x) for x in vectors[word]] for word in WORDS}


def cos(u: list[float], v: list[float]) -> float:
    dot = sum(a * b for a, b in zip(u, v, strict=True))
    return dot / sqrt(sum(a * a for a in u) * sum(b * b for b in v))


def unit(u: list[float]) -> list[float]:
    length = sqrt(sum(a * a for a in u))
    return [a / length for a in u]


def centre(vectors: list[list[float]]) -> list[float]:
    return [mean(column) for column in zip(*vectors, strict=True)]


def s(v: dict[str, list[float]], word: str) -> float:
    return mean(cos(v[word], v[a]) for a in A) - mean(cos(v[word], v[b]) for b in B)


def slow_sc_weat(v: dict[str, list[float]]) -> float:
    return mean(s(v, x) / stdev(cos(v[x], v[w]) for w in A + B) for x in X)


def slow_single_attribute(v: dict[str, list[float]]) -> float:
    return mean(s(v, x) for x in X)


def slow_generalised(v: dict[str, list[float]]) -> float:
    groups = [[unit(v[w]) for w in words] for words in (X, Y, A, B)]
    x, y, a, b = map(centre, groups)
    mid_t, mid_a = centre([x, y]), centre([a, b])
    total = 0.0
    for t, u in ((x, a), (y, b)):
        total += sum((p - m) * (q - n) for p, m, q, n in zip(t, mid_t, u, mid_a, strict=True))
    return total


def slow_rnd(v: dict[str, list[float]]) -> float:
    x, y = (centre([unit(v[w]) for w in words]) for words in (X, Y))
    each = [mean(dist(unit(v[a]), x) - dist(unit(v[a]), y) for a in words) for words in (A, B)]
    return each[0] - each[1]


def slow_ect(v: dict[str, list[float]]) -> float:
    x, y = (centre([v[w] for w in words]) for words in (X, Y))
    first, second = ([cos(c, v[a]) for a in A + B] for c in (x, y))
    return float(spearmanr(first, second).statistic)


def slow_mac(v: dict[str, list[float]]) -> float:
    return mean(
        mean(1 - cos(v[t], v[a]) for a in attributes) for t in X + Y for attributes in (A, B)
    )


def slow_bat(v: dict[str, list[float]]) -> float:
    u = {word: unit(v[word]) for word in WORDS}

    def moved(a: str, plus: str, minus: str) -> list[float]:
        return [p + q - r for p, q, r in zip(u[a], u[plus], u[minus], strict=True)]

    biased = total = 0
    for x in X:
        for y in Y:
            for a in A:
                for b in B:
                    q1, q2 = moved(b, x, y), moved(a, y, x)
                    for other in (w for w in B if w != b):
                        biased += dist(q1, u[other]) > dist(q1, u[a])
                        total += 1
                    for other in (w for w in A if w != a):
                        biased += dist(q2, u[other]) > dist(q2, u[b])
                        total += 1
    return biased / total


SLOW: dict[str, Callable[[dict[str, list[float]]], float]] = {
    "sc-weat": slow_sc_weat,
    "single-attribute-weat": slow_single_attribute,
    "generalised-weat": slow_generalised,
    "rnd": slow_rnd,
    "ect": slow_ect,
    "mac": slow_mac,
    "bat": slow_bat,
}


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("seed", range(3))
def test_it_equals_its_formula_written_out(name: str, seed: int) -> None:
    vectors = random_space(seed)
    assert measure(name, vectors, TEST).value == pytest.approx(SLOW[name](plain(vectors)), abs=1e-6)


@pytest.mark.parametrize("name", FAMILY)
def test_rotating_the_space_and_scaling_it_as_a_whole_changes_nothing(name: str) -> None:
    vectors = random_space(11)
    turn, _ = np.linalg.qr(np.random.default_rng(12).normal(size=(7, 7)))
    moved = space(WORDS, vectors.matrix.astype(float) @ turn * 3.5)
    before, after = measure(name, vectors, TEST), measure(name, moved, TEST)
    assert after.value == pytest.approx(before.value, abs=1e-5)
    assert before.interval is None or after.interval is not None


@pytest.mark.parametrize("name", SIGNED)
def test_swapping_the_attributes_turns_the_sign(name: str) -> None:
    vectors = random_space(13)
    swapped = association_test({"x": X, "y": Y}, {"b": B, "a": A})
    one, other = (measure(name, vectors, test).value for test in (TEST, swapped))
    assert one == pytest.approx(-other)  # type: ignore[operator]


def test_swapping_the_targets_turns_the_sign_of_rnd_and_leaves_ect_and_mac() -> None:
    vectors = random_space(14)
    swapped = association_test({"y": Y, "x": X}, {"a": A, "b": B})
    for name, sign in (("rnd", -1), ("ect", 1), ("mac", 1)):
        one, other = (measure(name, vectors, test).value for test in (TEST, swapped))
        assert one == pytest.approx(sign * other)  # type: ignore[operator]


@pytest.mark.parametrize("name", FAMILY)
def test_it_is_defined_on_real_vectors_within_its_interval(name: str, glove: WordVectors) -> None:
    result = measure(name, glove, concept("gender").test("career-family"))
    assert result.value is not None
    if result.interval is not None:
        assert result.interval.low <= result.value <= result.interval.high
        assert len(result.influence) == 10
    assert measure(name, glove, concept("gender").test("career-family")) == result


def test_the_p_of_the_single_attribute_test_is_over_splits_of_the_attributes() -> None:
    vectors = random_space(15)
    v = plain(vectors)
    score = {w: mean(cos(v[x], v[w]) for x in X) for w in A + B}
    observed = mean(score[a] for a in A) - mean(score[b] for b in B)
    splits = list(combinations(A + B, 4))
    extreme = sum(
        abs(mean(score[w] for w in c) - mean(score[w] for w in A + B if w not in c))
        >= abs(observed) - 1e-12
        for c in splits
    )
    p = measure("single-attribute-weat", vectors, TEST).p
    assert p is not None
    assert p.value == pytest.approx(extreme / len(splits))


def test_each_word_of_sc_weat_has_a_p_and_an_adjusted_one() -> None:
    result = measure("sc-weat", random_space(16), TEST)
    for point in result.points:
        assert 0 < point["p"] <= point["adjusted-p"] <= 1  # type: ignore[operator]


def test_sc_weat_and_single_attribute_take_the_target_that_is_named() -> None:
    vectors = random_space(17)
    other = association_test({"y": Y, "x": X}, {"a": A, "b": B})
    for name in SIGNED:
        assert (
            measure(f"{name}(target=y)", vectors, TEST).value == measure(name, vectors, other).value
        )
        with pytest.raises(UnknownNameError, match="target set"):
            measure(f"{name}(target=z)", vectors, TEST)


def test_generalised_weat_takes_three_groups_and_finds_what_is_built_in() -> None:
    groups = {name: [f"{name}{n}" for n in range(4)] for name in "xyzabc"}
    axes = np.eye(3)
    rng = np.random.default_rng(18)
    rows, words = [], []
    for name, axis in zip("xyzabc", [*axes, *axes], strict=True):
        for word in groups[name]:
            words.append(word)
            rows.append(axis + rng.normal(scale=0.05, size=3))
    test = association_test(
        {name: groups[name] for name in "xyz"}, {name: groups[name] for name in "abc"}
    )
    result = measure("generalised-weat(resamples=999)", space(words, np.array(rows)), test)
    assert result.value == pytest.approx(2.0, abs=0.1)  # 3 groups: 3 · (1 − 1/3)
    assert result.p is not None
    assert result.p.value == 1 / 1000
    with pytest.raises(UndefinedMeasureError, match="as many targets as attributes"):
        measure("generalised-weat", random_space(0), association_test({"x": X, "y": Y}, {"a": A}))


def test_bat_in_a_space_where_differences_are_parallel_is_1() -> None:
    base = np.random.default_rng(19).normal(scale=0.01, size=(len(WORDS), 4))
    for row, word in enumerate(WORDS):
        base[row, 0] = 1.0 if word[0] in "xa" else -1.0
    result = measure("bat(unit_length=false)", space(WORDS, base), TEST)
    assert result.value == pytest.approx(1.0)
    assert (
        measure("bat(last_pair_only=true)", space(WORDS, base), TEST).details["target-pairs"] == 1
    )


def test_bat_leaves_out_words_of_both_attribute_sets() -> None:
    shared = association_test({"x": X, "y": Y}, {"a": A, "b": [*B[:3], "a0"]})
    assert measure("bat", random_space(20), shared).details["attribute-words-a-side"] == 3
    with pytest.raises(UndefinedMeasureError, match="not in both"):
        measure("bat", random_space(20), association_test({"x": X, "y": Y}, {"a": A, "b": A}))


def test_rnd_by_similarity_and_by_one_attribute_set() -> None:
    vectors = random_space(21)
    v = plain(vectors)
    x, y = (centre([unit(v[w]) for w in words]) for words in (X, Y))
    expected = mean(cos(unit(v[a]), x) - cos(unit(v[a]), y) for a in A)
    found = measure("rnd(distance=cosine, attributes=a)", vectors, TEST)
    assert found.value == pytest.approx(expected, abs=1e-6)
    with pytest.raises(UnknownNameError, match="attribute set"):
        measure("rnd(attributes=z)", vectors, TEST)


def test_rnd_of_opposite_sets_does_not_cancel() -> None:
    rows = np.vstack([np.eye(7)[[0] * 3], np.eye(7)[[1] * 3], np.eye(7)[[0] * 4 + [1] * 4]])
    result = measure("rnd", space(WORDS, rows + 1e-3), TEST)
    apart = float(result.details["mean-difference-of-a"])  # type: ignore[arg-type]
    assert apart == pytest.approx(-(2**0.5), abs=0.01)
    assert result.details["mean-difference-of-b"] == pytest.approx(-apart)
    assert result.value == pytest.approx(2 * apart)
    three = association_test({"x": X, "y": Y}, {"a": A, "b": B, "c": A[:2]})
    with pytest.raises(UndefinedMeasureError, match=r"rnd\(attributes=a\)"):
        measure("rnd", space(WORDS, rows), three)


def test_ect_averages_ties_and_is_1_where_both_groups_have_one_centre() -> None:
    rows = np.random.default_rng(22).normal(size=(len(WORDS), 5))
    rows[3:6] = rows[:3]
    assert measure("ect", space(WORDS, rows), TEST).value == pytest.approx(1.0)
    rows[6:] = rows[6]
    result = measure("ect", space(WORDS, rows), TEST)
    assert result.value is None
    assert "same cosine" in result.why_undefined


def test_words_that_do_not_differ_give_na_with_a_reason() -> None:
    rows = np.random.default_rng(23).normal(size=(len(WORDS), 5))
    rows[6:] = rows[6]
    result = measure("sc-weat", space(WORDS, rows), TEST)
    assert result.value is None
    assert '"x0" has the same cosine' in result.why_undefined


TOY = parse_concept(
    """
name = "toy"
groups = ["x", "y", "a"]
[words]
x = ["x0", "x1", "x2"]
y = ["y0", "y1", "y2"]
a = ["a0", "a1"]
[sets]
definitional = { columns = ["x", "y"], rows = [["x0", "y0"], ["x1", "y1"], ["x2", "y2"]] }
[neutral]
things = ["b0", "b1", "b2", "b3"]
""",
    "toy",
)
TWO = parse_concept(
    """
name = "two"
groups = ["x", "y"]
[words]
x = ["x0", "x1", "x2"]
y = ["y0", "y1", "y2"]
[neutral]
things = ["b0", "b1", "b2", "b3"]
""",
    "two",
)


@pytest.mark.parametrize("seed", range(3))
def test_ripa_equals_its_formula_written_out(seed: int) -> None:
    vectors = random_space(seed)
    v = plain(vectors)
    products = []
    for x, y in zip(X, Y, strict=True):
        base = unit([p - q for p, q in zip(v[x], v[y], strict=True)])
        products.append([sum(p * q for p, q in zip(v[b], base, strict=True)) for b in B])
    result = measure("ripa", vectors, TOY)
    assert result.value == pytest.approx(mean(map(mean, products)), abs=1e-6)
    assert result.details["sd-over-pairs"] == pytest.approx(stdev(map(mean, products)), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_same_for_two_groups_is_the_cosine_with_the_difference_of_means(seed: int) -> None:
    vectors = random_space(seed)
    v = plain(vectors)
    x, y = (centre([unit(v[w]) for w in words]) for words in (X, Y))
    b = [p - q for p, q in zip(x, y, strict=True)]
    cosines = [cos(v[w], b) for w in B]
    result = measure("same", vectors, TWO)
    assert result.value == pytest.approx(mean(map(abs, cosines)), abs=1e-6)
    assert result.details["skew"] == pytest.approx(mean(cosines), abs=1e-6)
    assert result.details["stereotype"] == pytest.approx(pstdev(cosines), abs=1e-6)


def test_same_takes_more_groups_and_says_where_they_coincide() -> None:
    assert measure("same", random_space(5), TOY).details["groups"] == 3
    rows = np.ones((len(WORDS), 3))
    result = measure("same", space(WORDS, rows), TWO)
    assert result.value is None
    assert "same mean direction" in result.why_undefined


def test_ripa_refuses_a_pair_without_a_difference() -> None:
    rows = np.random.default_rng(6).normal(size=(len(WORDS), 5))
    rows[3] = rows[0]
    with pytest.raises(UnslantError, match="same vector"):
        measure("ripa", space(WORDS, rows), TOY)


def test_the_p_of_generalised_weat_with_few_words_is_near_the_share_of_all_shuffles() -> None:
    vectors = random_space(24)
    v = plain(vectors)
    values = []
    for order in permutations(X + Y):
        swapped = dict(v) | {w: v[o] for w, o in zip(X + Y, order, strict=True)}
        values.append(slow_generalised(swapped))
    exact = mean(value >= values[0] - 1e-12 for value in values)
    p = measure("generalised-weat(resamples=4000)", vectors, TEST).p
    assert p is not None
    assert abs(p.value - exact) < 4 * sqrt(exact * (1 - exact) / 4000) + 1e-3
