"""Embedding quality test: a slow second implementation, what counts as a hit, real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import letter_words, moved, wide_space
from unslant.concepts import Concept, WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import MissingWordsError, UndefinedMeasureError
from unslant.measures.running import measure
from unslant.metrics.eqt import plurals_of
from unslant.vectors import WordVectors

TOY = small_concept()
PAIRS = [("l0", "r0"), ("l1", "r1"), ("l2", "r2")]
THINGS = ["n0", "n1", "n2", "n3"]


def slow(
    vectors: WordVectors, accepted: dict[str, set[str]], unit_length: bool, excluded: bool = False
) -> float:
    """Hits over total, one analogy at a time."""
    raw = {word: vectors[word].astype(float) for word in vectors.words}
    units = {word: row / np.linalg.norm(row) for word, row in raw.items()}
    given = units if unit_length else raw
    hits = []
    for m, f in [*PAIRS, *((f, m) for m, f in PAIRS)]:
        for p in THINGS:
            target = given[p] - given[m] + given[f]
            out = {m, f, p} if excluded else {m, f}
            best = max((w for w in units if w not in out), key=lambda w: units[w] @ target)
            hits.append(best in accepted[p])
    return sum(hits) / len(hits)


@pytest.mark.parametrize("unit_length", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_definition_written_out(seed: int, unit_length: bool) -> None:
    vectors = space([*wide_space(seed, 40).words], np.random.default_rng(seed).normal(size=(50, 4)))
    expected = slow(vectors, {p: {p} for p in THINGS}, unit_length)
    result = measure(f"eqt(unit_length={str(unit_length).lower()})", vectors, TOY)
    assert result.value == pytest.approx(expected)
    assert result.details["analogies"] == 24
    assert 0 < expected < 1


def with_synonyms() -> Concept:
    rows = ", ".join(f'["{p}", "{w}"]' for p, w in zip(THINGS * 5, letter_words(20), strict=True))
    return small_concept(f'[lists.synonyms]\ncolumns = ["word", "synonym"]\nrows = [{rows}]\n')


@pytest.mark.parametrize("excluded", [False, True])
def test_synonyms_count_where_the_concept_has_a_table(excluded: bool) -> None:
    vectors = space([*wide_space(0, 40).words], np.random.default_rng(9).normal(size=(50, 4)))
    accepted = {p: {p, *letter_words(20)[place::4]} for place, p in enumerate(THINGS)}
    expected = slow(vectors, accepted, True, excluded)
    expression = f"eqt(exclude_word={str(excluded).lower()})"
    result = measure(expression, vectors, with_synonyms())
    assert result.value == pytest.approx(expected)
    assert expected > slow(vectors, {p: {p} for p in THINGS}, True, excluded)


def test_the_plural_of_a_word_counts() -> None:
    corners = {"l0": [1.0, 0.0, 0.2], "r0": [-1.0, 0.0, 0.2]}
    corners |= {"n0": [0.0, 1.0, 0.0], "n0s": [0.0, 1.0, 0.1]}
    vectors = WordVectors.of({**corners, "far": [0.0, -1.0, 0.0]})
    policy = WordPolicy(missing="drop")
    result = measure("eqt(exclude_word=true)", vectors, TOY, policy)
    assert result.value == 1.0
    assert result.details["share-that-is-the-word-itself"] == 0


def test_equal_sides_lead_back_to_every_word() -> None:
    matrix = wide_space(0, 40).matrix.copy()
    matrix[3:6] = matrix[0:3]
    assert measure("eqt", space(list(wide_space(0, 40).words), matrix), TOY).value == 1.0


def test_turning_and_scaling_and_the_order_of_the_groups_change_nothing() -> None:
    vectors = space([*wide_space(0, 40).words], np.random.default_rng(3).normal(size=(50, 5)))
    one = measure("eqt", vectors, TOY).value
    assert measure("eqt", moved(vectors, 1, 6.0), TOY).value == pytest.approx(one)


def test_only_the_candidates_and_the_words_involved_can_be_the_answer() -> None:
    vectors = space([*wide_space(0, 40).words], np.random.default_rng(3).normal(size=(50, 5)))
    assert measure("eqt(candidates=1)", vectors, TOY).details["candidate-words"] == 10
    assert measure("eqt", vectors, TOY).details["candidate-words"] == 50


def test_a_word_that_stands_in_a_pair_is_not_asked_about_it() -> None:
    text = """
name = "t"
[sets]
definitional = { columns = ["left", "right"], rows = [["l0", "r0"], ["l1", "r1"]] }
[neutral]
mixed = ["n0", "l0"]
"""
    other = parse_concept(text, "t")
    result = measure("eqt", wide_space(0, 40), other)
    assert result.details["analogies"] == 4 + 2


def test_missing_words_and_concepts_without_pairs_say_so(glove: WordVectors) -> None:
    vectors = wide_space(0, 40)
    fewer = vectors.only([word for word in vectors.words if word not in ("l1", "n2")])
    result = measure("eqt", fewer, TOY, WordPolicy(missing="drop"))
    assert [use.missing for use in result.words] == [("n2",), ("l1",)]
    assert result.words[1].set_aside == ("r1",)
    assert result.details["analogies"] == 4 * 3
    with pytest.raises(MissingWordsError, match="n2"):
        measure("eqt", fewer, TOY)
    with pytest.raises(UndefinedMeasureError, match='"race" lacks one'):
        measure("eqt", glove, concept("race"))


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("nurse", "nurses"),
        ("secretary", "secretaries"),
        ("attorney", "attorneys"),
        ("boss", "bosses"),
        ("coach", "coaches"),
        ("policeman", "policemen"),
        ("housewife", "housewives"),
        ("chief", "chiefs"),
        ("thief", "thieves"),
        ("hero", "heroes"),
        ("soprano", "sopranos"),
    ],
)
def test_plurals_follow_the_common_rules(word: str, plural: str) -> None:
    assert plural in plurals_of(word)


def test_on_real_vectors_nearly_all_lead_back_unless_the_word_is_forbidden(
    glove: WordVectors,
) -> None:
    gender, policy = concept("gender"), WordPolicy(missing="drop")
    free = measure("eqt", glove, gender, policy)
    forbidden = measure("eqt(exclude_word=true)", glove, gender, policy)
    assert free.value is not None
    assert forbidden.value is not None
    assert free.value > 0.95
    assert 0.02 < forbidden.value < 0.3
    assert forbidden.interval is not None
    assert forbidden.interval.low < forbidden.value < forbidden.interval.high
