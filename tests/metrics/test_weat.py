"""WEAT: a slow second implementation, its symmetries, constructed spaces and real vectors."""

from itertools import combinations
from statistics import mean, pstdev, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spaces import small_concept, space
from unslant.concepts import AssociationTest, WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import UndefinedMeasureError, UnslantError
from unslant.core.types import Array
from unslant.measures.running import measure
from unslant.metrics.weat import share_of_random_lists_below
from unslant.vectors import WordVectors, load

WORDS = ["n0", "n1", "n2", "n3", "l0", "l1", "r0", "r1"]
TEST = small_concept().test("one")


def random_space(seed: int, dim: int = 6) -> WordVectors:
    return space(WORDS, np.random.default_rng(seed).normal(size=(len(WORDS), dim)))


def slow_weat(vectors: WordVectors, test: AssociationTest, ddof: int) -> tuple[float, float]:
    """Effect size and two-sided exact p, word by word, straight from the definition."""

    def cos(a: str, b: str) -> float:
        u, v = vectors[a].astype(float), vectors[b].astype(float)
        return float(sum(u * v) / (sum(u * u) ** 0.5 * sum(v * v) ** 0.5))

    (_, t1), (_, t2) = test.targets.items()
    (_, a1), (_, a2) = test.attributes.items()

    def s(word: str) -> float:
        return mean(cos(word, a) for a in a1.words) - mean(cos(word, a) for a in a2.words)

    scores = {word: s(word) for word in (*t1.words, *t2.words)}
    spread = (stdev if ddof else pstdev)(scores.values())
    gap = mean(scores[w] for w in t1.words) - mean(scores[w] for w in t2.words)
    splits = list(combinations(scores, len(t1.words)))
    extreme = 0
    for chosen in splits:
        rest = [w for w in scores if w not in chosen]
        other = mean(scores[w] for w in chosen) - mean(scores[w] for w in rest)
        extreme += abs(other) >= abs(gap) - 1e-12
    return gap / spread, extreme / len(splits)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0, 1]))
def test_it_equals_the_definition_written_out(seed: int, ddof: int) -> None:
    vectors = random_space(seed)
    result = measure(f"weat(ddof={ddof})", vectors, TEST)
    effect, p = slow_weat(vectors, TEST, ddof)
    assert result.value == pytest.approx(effect, rel=1e-6)
    assert result.p is not None
    assert result.p.value == pytest.approx(p)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_rotating_and_scaling_the_space_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = random_space(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    lengths = rng.uniform(0.1, 10, size=(len(WORDS), 1))
    moved = space(WORDS, vectors.matrix.astype(float) @ turn * lengths)
    assert measure("weat", moved, TEST).value == pytest.approx(
        measure("weat", vectors, TEST).value, abs=1e-4
    )


def swapped(kind: str) -> AssociationTest:
    targets = 'targets = { x = ["n0", "n1"], y = ["n2", "n3"] }'
    attributes = 'attributes = { a = ["l0", "l1"], b = ["r0", "r1"] }'
    if kind == "targets":
        targets = 'targets = { y = ["n2", "n3"], x = ["n0", "n1"] }'
    else:
        attributes = 'attributes = { b = ["r0", "r1"], a = ["l0", "l1"] }'
    return parse_concept(f'name = "t"\n[tests.one]\n{targets}\n{attributes}', "t").test("one")


@pytest.mark.parametrize("kind", ["targets", "attributes"])
@pytest.mark.parametrize("seed", range(5))
def test_swapping_targets_or_attributes_turns_the_sign_and_keeps_p(kind: str, seed: int) -> None:
    vectors = random_space(seed)
    one, other = measure("weat", vectors, TEST), measure("weat", vectors, swapped(kind))
    assert one.value == pytest.approx(-other.value)  # type: ignore[operator]
    assert one.p is not None
    assert other.p is not None
    assert one.p.value == other.p.value


def test_perfect_separation_gives_the_largest_effect() -> None:
    corners = {"n0": [1, 0], "n1": [1, 0], "n2": [0, 1], "n3": [0, 1]}
    corners |= {"l0": [1, 0], "l1": [1, 0], "r0": [0, 1], "r1": [0, 1]}
    vectors = WordVectors.of(corners, name="corners")
    assert measure("weat(ddof=0)", vectors, TEST).value == pytest.approx(2.0)
    assert measure("weat(alternative=greater)", vectors, TEST).p.value == 1 / 6  # type: ignore[union-attr]
    assert measure("weat(alternative=less)", vectors, TEST).p.value == 1  # type: ignore[union-attr]


def test_equal_associations_give_na_with_a_reason() -> None:
    same = WordVectors.of({word: [1.0, 1.0] for word in WORDS}, name="same")
    result = measure("weat", same, TEST)
    assert result.value is None
    assert "same association" in result.why_undefined


def test_many_words_have_an_exact_p_with_a_small_error(glove: WordVectors) -> None:
    test = concept("race").test("names-pleasant")
    first, again = (measure("weat", glove, test) for _ in range(2))
    assert first == again
    assert first.p is not None
    assert (first.p.how, first.p.outcomes) == ("exact", 1832624140942590534)
    assert 0 < first.p.error < 0.01 * first.p.value


def test_career_and_family_on_the_builtin_vectors_is_the_known_effect(glove: WordVectors) -> None:
    test = concept("gender").test("career-family")
    result = measure("weat", glove, test)
    effect, p = slow_weat(glove.only([w.lower() for w in _words(test)]), _lower(test), 1)
    assert result.value == pytest.approx(1.718, abs=0.005)
    assert result.value == pytest.approx(effect, rel=1e-6)
    assert result.p is not None
    assert result.p.value == pytest.approx(p)


def test_career_and_family_on_all_of_glove_is_1_718(full_glove: WordVectors) -> None:
    result = measure("weat", full_glove, concept("gender").test("career-family"))
    assert result.value == pytest.approx(1.718, abs=0.0005)


def _words(test: AssociationTest) -> list[str]:
    return [w for lists in (test.targets, test.attributes) for x in lists.values() for w in x.words]


def _lower(test: AssociationTest) -> AssociationTest:
    def sets(kind: str) -> str:
        lists = getattr(test, kind).items()
        return ", ".join(f'"{k}" = {[w.lower() for w in v.words]}' for k, v in lists)

    text = f'name = "t"\n[tests.one]\ntargets = {{ {sets("targets")} }}\n'
    text += f"attributes = {{ {sets('attributes')} }}"
    return parse_concept(text.replace("'", '"'), "t").test("one")


def test_the_record_says_everything_that_is_needed_to_make_it_again(glove: WordVectors) -> None:
    test = concept("gender").test("career-family")
    result = measure("weat(ddof=0)", glove, test)
    assert result.parameters["expression"] == "weat(ddof=0)"
    assert result.parameters["subject"] == "gender/career-family"
    assert result.parameters["missing"] == "fail"
    assert result.inputs["vectors_sha256"] == glove.content_hash
    assert result.inputs["words_sha256"] == test.content_hash
    assert (result.seed, bool(result.version)) == (0, True)
    assert [len(use.used) for use in result.words] == [8, 8, 8, 8]


def test_a_word_on_both_sides_is_refused() -> None:
    text = """
name = "t"
[tests.one]
targets = { x = ["n0", "n1"], y = ["n1", "n2"] }
attributes = { a = ["l0"], b = ["r0"] }
"""
    with pytest.raises(UndefinedMeasureError, match='"n1" is in both'):
        measure("weat", random_space(0), parse_concept(text, "t").test("one"))


def test_three_target_sets_are_refused_by_name() -> None:
    text = """
name = "t"
[tests.one]
targets = { x = ["n0"], y = ["n1"], z = ["n2"] }
attributes = { a = ["l0"], b = ["r0"] }
"""
    with pytest.raises(UndefinedMeasureError, match="compares two targets, but t/one has 3"):
        measure("weat", random_space(0), parse_concept(text, "t").test("one"))


def test_a_concept_in_place_of_a_test_names_the_tests(glove: WordVectors) -> None:
    with pytest.raises(UnslantError, match="career-family, career-family-terms"):
        measure("weat", glove, concept("gender"))


def test_unequal_sets_are_measured_as_they_are() -> None:
    vectors = random_space(1).only([w for w in WORDS if w != "n3"])
    result = measure("weat", vectors, TEST, WordPolicy(missing="drop"))
    assert result.p is not None
    assert result.p.outcomes == 3
    assert result.words[1].missing == ("n3",)


def test_random_lists_never_hold_a_word_of_the_test() -> None:
    """The words of the test alone have a part in the first component, so no list has one."""
    rng = np.random.default_rng(5)
    own, others = [f"w{n}" for n in range(16)], [f"o{n}" for n in range(9)]
    matrix = rng.normal(size=(25, 6))
    matrix[:, 0] = np.arange(25) < 16
    vectors, drawn = space(own + others, matrix), []

    def effects(contrasts: Array) -> Array:
        drawn.append(contrasts)
        return contrasts[:, 1]

    share = share_of_random_lists_below(
        effects, 0.1, vectors, (4, 4), but=own, count=50, seed=0, purpose="test"
    )
    assert share is not None
    assert 0 < share < 1
    assert not drawn[0][:, 0].any()
    assert drawn[0][:, 1:].any()
    few = [*own, *others[:2]]
    assert (
        share_of_random_lists_below(
            effects, 0.1, vectors, (4, 4), but=few, count=50, seed=0, purpose="test"
        )
        is None
    )


def test_its_own_words_are_what_is_kept_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []

    def spy(*given: object, but: list[str], **more: object) -> float:
        asked.append(set(but))
        return 0.5

    glove = load()
    monkeypatch.setattr("unslant.metrics.weat.share_of_random_lists_below", spy)
    result = measure("weat", glove, concept("gender").test("math-arts"))
    assert asked == [{word for use in result.words for word in (use.spelt or use.used)}]
