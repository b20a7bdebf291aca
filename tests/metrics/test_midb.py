"""MIDB: a slow second implementation that forms every difference, its sign, and real vectors."""

import numpy as np
import pytest

from tests.spaces import small_concept, space
from tests.wide import letter_words, moved, wide_space
from unslant.concepts import concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import UndefinedMeasureError
from unslant.measures.running import measure
from unslant.vectors import WordVectors

TOY = small_concept()


def slow(vectors: WordVectors, k: int, centred: bool, unit_length: bool) -> tuple[float, float]:
    """The mean and the mean size, from all differences of names and one word at a time."""
    first = [vectors[f"l{n}"].astype(float) for n in range(3)]
    second = [vectors[f"r{n}"].astype(float) for n in range(3)]
    differences = np.array([f - m for f in first for m in second])
    middle = differences.mean(axis=0)
    _, values, axes = np.linalg.svd(differences - middle if centred else differences)
    shares = values**2 / (values**2).sum()
    leans = []
    for word in letter_words(len(vectors) - 10):
        x = vectors[word].astype(float)
        x = x / np.linalg.norm(x) if unit_length else x
        axis_leans = [
            share * (x @ axis) * (-1 if axis @ middle < 0 else 1)
            for share, axis in zip(shares[:k], axes[:k], strict=True)
        ]
        leans.append(sum(axis_leans))
    return float(np.mean(leans)), float(np.abs(leans).mean())


@pytest.mark.parametrize("unit_length", [False, True])
@pytest.mark.parametrize(("k", "centred"), [(1, False), (3, False), (2, True)])
def test_it_equals_the_definition_written_out(k: int, centred: bool, unit_length: bool) -> None:
    vectors = wide_space(1, 50)
    switch = f"{unit_length}".lower()
    expression = f"midb(k={k}, centred={str(centred).lower()}, unit_length={switch})"
    result = measure(expression, vectors, TOY)
    value, size = slow(vectors, k, centred, unit_length)
    assert result.value == pytest.approx(value, rel=1e-4)
    assert result.details["mean-size"] == pytest.approx(size, rel=1e-4)


def test_centred_axes_leave_out_the_difference_of_the_groups() -> None:
    vectors = wide_space(2, 50, lean=2.0)
    sizes = [
        float(measure(f"midb(k=2, centred={switch})", vectors, TOY).details["mean-size"] or 0)
        for switch in ("true", "false")
    ]
    assert sizes[0] < 0.75 * sizes[1]


def test_words_at_one_place_have_the_value_of_that_place() -> None:
    matrix = wide_space(0, 20).matrix.copy()
    matrix[:6] = 0
    matrix[:6, 0] = [2, 2, 2, -2, -2, -2]
    matrix[10:] = 0
    matrix[10:, 0] = 3
    vectors = space(list(wide_space(0, 20).words), matrix)
    assert measure("midb(k=1)", vectors, TOY).value == pytest.approx(3)
    assert measure("midb(k=1, unit_length=true)", vectors, TOY).value == pytest.approx(1)


def test_swapping_the_groups_turns_the_sign() -> None:
    text = """
name = "t"
groups = ["right", "left"]
[names]
left = ["l0", "l1", "l2"]
right = ["r0", "r1", "r2"]
"""
    vectors = wide_space(3, 60)
    one = measure("midb(k=2)", vectors, TOY).value
    assert one is not None
    assert measure("midb(k=2)", vectors, parse_concept(text, "t")).value == pytest.approx(-one)


def test_turning_changes_nothing_and_length_counts_unless_told_otherwise() -> None:
    vectors = wide_space(4, 60)
    for switch, factor in (("false", 5.0), ("true", 1.0)):
        expression = f"midb(k=2, unit_length={switch})"
        one = measure(expression, vectors, TOY).value
        other = measure(expression, moved(vectors, 1, 5.0), TOY).value
        assert one is not None
        assert other == pytest.approx(factor * one, abs=1e-5)


def test_names_at_one_point_a_side_give_na_with_the_reason() -> None:
    matrix = wide_space(0, 20).matrix.copy()
    matrix[:6] = matrix[0]
    vectors = space(list(wide_space(0, 20).words), matrix)
    result = measure("midb(k=2)", vectors, TOY)
    assert result.value is None
    assert "fewer independent ones" in result.why_undefined


def test_a_concept_without_names_of_two_groups_is_refused(glove: WordVectors) -> None:
    with pytest.raises(UndefinedMeasureError, match='which "religion" does not have'):
        measure("midb", glove, concept("religion"))


def test_on_real_vectors_it_is_small_and_negative_as_published_for_glove(
    glove: WordVectors,
) -> None:
    result = measure("midb", glove, concept("gender"))
    assert result.value is not None
    assert -0.05 < result.value < 0
    assert float(result.details["mean-size"] or 0) > abs(result.value)
    assert result.details["weight-of-axis-1"] == pytest.approx(0.168, abs=0.002)
    assert len(result.points) == 500
