"""Strengths and choices of adversaries: read from text, refused in one sentence."""

from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.models.adversaries.settings import (
    AdversarySettings,
    AdversaryStrength,
    attributes_of,
    strengths,
)


@pytest.mark.parametrize(
    ("text", "first", "middle", "last"),
    [
        ("0.5", 0.5, 0.5, 0.5),
        ("2:sqrt", 0.2, 1.0, 2.0),
        ("2:linear", 0.02, 0.5, 2.0),
        ("sqrt", 0.1, 0.5, 1.0),
        ("0", 0.0, 0.0, 0.0),
    ],
)
def test_a_strength_grows_as_its_text_says(
    text: str, first: float, middle: float, last: float
) -> None:
    found = AdversaryStrength.of(text)
    assert [found.at(step, 100) for step in (0, 24, 99)] == pytest.approx([first, middle, last])
    assert AdversaryStrength.of(str(found)) == found


@pytest.mark.parametrize("text", ["", "-1", "nan", "inf", "fast", "1:fast", "1:", "sqrt:1"])
def test_what_is_no_strength_is_refused(text: str) -> None:
    if text == "1:":
        assert AdversaryStrength.of(text) == AdversaryStrength(1.0)
        return
    with pytest.raises(UnslantError, match=r"A strength \(alpha\) must be a number"):
        AdversaryStrength.of(text)


def test_every_attribute_has_one_strength() -> None:
    both = ("gender", "race")
    assert strengths("2", both) == {
        "gender": AdversaryStrength(2.0),
        "race": AdversaryStrength(2.0),
    }
    found = strengths("race=1:linear, gender=0.5", both)
    assert list(found) == ["gender", "race"]
    assert found["race"] == AdversaryStrength(1.0, "linear")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gender=1", "gives no strength for race. Add one, such as race=1"),
        ("gender=1,race=1,age=1", 'No adversary is called "age"'),
        ("gender=1,gender=2,race=1", "gives gender two strengths"),
    ],
)
def test_strengths_that_do_not_fit_the_attributes_are_refused(text: str, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        AdversarySettings(attributes=("gender", "race"), alpha=text)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"attributes": ()}, "Name at least one protected attribute"),
        ({"attributes": attributes_of("gender,")}, "Name at least one protected attribute"),
        ({"attributes": ("gender", "gender")}, "names an attribute twice"),
        ({"projection": "half"}, 'No choice of projection is called "half"'),
        ({"fairness": "calibration"}, "Available: odds, parity"),
        ({"network": "deep"}, "Available: dense, small"),
        ({"reads": "words"}, "choice of reads"),
        ({"keep": "first"}, "choice of keep"),
        ({"width": 0}, "width of adversaries must be at least 1, not 0"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"learning_rate": 0.0}, "learning rate must be above 0"),
    ],
)
def test_choices_that_cannot_be_are_refused(choice: dict[str, Any], said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        AdversarySettings(**{"attributes": ("gender",), **choice})


def test_adversaries_only_watch_without_projection_and_strength() -> None:
    watch = AdversarySettings(attributes=("gender",), alpha="0", projection="none")
    assert watch.only_watch
    assert not AdversarySettings(attributes=("gender",), alpha="0").only_watch
    assert not AdversarySettings(attributes=("gender",), projection="none").only_watch
