"""MAC where one attribute set has more words than the other, worked out by hand."""

import numpy as np
import pytest

from tests.spaces import space
from unslant.concepts.read import parse_concept
from unslant.measures.running import measure

WORDS = ["x0", "x1", "y0", "y1", "a0", "a1", "a2", "b0"]


def test_each_attribute_set_counts_as_much_whatever_its_size() -> None:
    # The targets lie at cosine 1 with each of the three words of a, and at cosine 0 with b.
    matrix = np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]])
    concept = parse_concept(
        'name = "t"\n[tests.one]\n'
        'targets = { x = ["x0", "x1"], y = ["y0", "y1"] }\n'
        'attributes = { a = ["a0", "a1", "a2"], b = ["b0"] }',
        "t",
    )
    found = measure("mac", space(WORDS, matrix), concept.test("one"))
    assert found.value == pytest.approx(0.5)  # pooled over the four words it would be 0.25
    assert found.details["distance-to-a"] == pytest.approx(0.0)
    assert found.details["distance-to-b"] == pytest.approx(1.0)
    assert found.points[0] == {"word": "x0", "set": "a", "distance": pytest.approx(0.0)}
    assert [point["set"] for point in found.points] == ["a"] * 4 + ["b"] * 4
