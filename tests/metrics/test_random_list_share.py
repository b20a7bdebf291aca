"""WEAT among random attribute lists: effects compare by size, whatever their sign."""

import numpy as np
import pytest

from tests.spaces import space
from unslant.concepts.concept import Concept
from unslant.concepts.read import parse_concept
from unslant.core.measurement import Measurement
from unslant.measures.running import measure
from unslant.vectors import WordVectors

SETS = {name: [f"{name}{i}" for i in range(6)] for name in "xyab"}


def made_up(strength: float) -> WordVectors:
    """Random vectors; x and a share an axis, y and b its other side, as strongly as is asked."""
    rng = np.random.default_rng(3)
    words = [word for its in SETS.values() for word in its] + [f"w{i}" for i in range(3_000)]
    matrix = rng.normal(size=(len(words), 30))
    matrix[:, 0] = 0
    for place, sign in enumerate((1, -1, 1, -1)):
        matrix[6 * place : 6 * place + 6, 0] = sign * strength
    matrix[: 4 * 6, 1:] = np.tile(matrix[:6, 1:], (4, 1))  # alike but for that axis
    return space(words, matrix)


def pets(first: str, second: str) -> Concept:
    quoted = {name: str(words).replace("'", '"') for name, words in SETS.items()}
    return parse_concept(
        f'name = "t"\n[tests.one]\ntargets = {{ x = {quoted["x"]}, y = {quoted["y"]} }}\n'
        f"attributes = {{ {first} = {quoted[first]}, {second} = {quoted[second]} }}",
        "t",
    )


def share(found: Measurement) -> float:
    it = found.details["share-of-random-lists-below"]
    assert isinstance(it, float)
    return it


@pytest.mark.parametrize("attributes", [("a", "b"), ("b", "a")])
def test_a_strong_effect_of_either_sign_is_above_random_lists(attributes: tuple[str, str]) -> None:
    found = measure("weat", made_up(5.0), pets(*attributes).test("one"))
    assert found.value is not None
    assert (found.value > 0) == (attributes == ("a", "b"))
    assert share(found) > 0.9


def test_an_effect_near_zero_is_below_nearly_all_random_lists() -> None:
    # Half of the random effects are negative, and with their sign they would count as less.
    rng = np.random.default_rng(8)
    words = [word for its in SETS.values() for word in its] + [f"w{i}" for i in range(3_000)]
    concept = pets("a", "b")
    for _ in range(200):
        found = measure(
            "weat", space(words, rng.normal(size=(len(words), 30))), concept.test("one")
        )
        assert found.value is not None
        if abs(found.value) < 0.03:
            break
    else:
        pytest.fail("no space with a small effect among 200")
    assert share(found) < 0.15
