"""Which way is better, read once from its text."""

import pytest

from unslant.core.errors import UnslantError
from unslant.core.score import Better, better_side


@pytest.mark.parametrize(
    ("text", "value", "gap"),
    [
        ("smaller", -0.3, -0.3),
        ("larger", -0.3, 0.3),
        ("closer to 0", -0.3, 0.3),
        ("closer to 0", 0.3, 0.3),
        ("closer to 0.5", 0.3, 0.2),
        ("closer to 0.5", 0.7, 0.2),
        ("closer to −1", -0.75, 0.25),
        ("closer to -1", -1.25, 0.25),
    ],
)
def test_the_gap_is_less_if_the_value_is_better(text: str, value: float, gap: float) -> None:
    assert Better.of(text).gap(value) == pytest.approx(gap)


@pytest.mark.parametrize(
    ("text", "ends", "gaps"),
    [
        ("smaller", (-1.0, 2.0), (-1.0, 2.0)),
        ("larger", (-1.0, 2.0), (-2.0, 1.0)),
        ("closer to 0", (-1.0, 2.0), (0.0, 2.0)),
        ("closer to 0", (-2.0, -1.0), (1.0, 2.0)),
        ("closer to 0.5", (0.25, 0.625), (0.0, 0.25)),
        ("closer to 0.5", (0.75, 1.5), (0.25, 1.0)),
    ],
)
def test_an_interval_of_values_is_one_of_gaps(
    text: str, ends: tuple[float, float], gaps: tuple[float, float]
) -> None:
    assert Better.of(text).gaps(*ends) == gaps


def test_the_sign_shows_the_side_or_the_goal() -> None:
    texts = ("smaller", "larger", "closer to 0", "closer to 0.5")
    assert [Better.of(text).sign for text in texts] == ["↓", "↑", "→0", "→0.5"]


@pytest.mark.parametrize("text", ["", "lower", "0.5", "closer to", "closer to me", "closer to nan"])
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(UnslantError, match=r'such as 0\. Got "' + text):
        Better.of(text)
    assert better_side(text) is None
