"""What went wrong in a training against adversaries, in words."""

import pytest

from unslant.models.adversaries.training import collapses

GOOD = {
    "right_share": 0.9,
    "majority_share": 0.8,
    "most_predicted": 1.0,
    "most_predicted_share": 0.81,
    "its_true_share": 0.8,
    "gender_adversary_loss": 0.7,
    "gender_chance_loss": 0.69,
    "gender_steps_without_direction": 0.0,
    "steps": 10.0,
}
ONE_CLASS = GOOD | {"most_predicted_share": 0.999, "right_share": 0.8}
DIVERGED = GOOD | {"gender_adversary_loss": 2.5}


def words(*rounds: dict[str, float]) -> str:
    return " ".join(collapses(rounds, ["gender"], ["I-PER", "O"]))


def test_a_training_that_went_well_has_no_warnings() -> None:
    assert words(GOOD, GOOD) == ""


def test_a_class_that_nearly_all_examples_have_is_no_collapse() -> None:
    share = {"most_predicted_share": 0.995, "its_true_share": 0.97, "majority_share": 0.97}
    assert words(GOOD | share | {"right_share": 0.98}) == ""


def test_a_predictor_that_gives_one_class_is_reported_with_its_rounds() -> None:
    found = words(GOOD, ONE_CLASS, ONE_CLASS)
    assert 'The predictor collapsed in rounds 2 to 3: it predicts "O" for 99.9% of' in found
    assert "and 80.0% are" in found
    assert "no better than the most frequent class in rounds 2 to 3: 80.0% right" in found


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ((GOOD, DIVERGED), "The gender adversary diverged in round 2: its held-out loss is 2.50"),
        ((DIVERGED, GOOD, DIVERGED), "diverged in rounds 1, 3"),
        ((GOOD | {"gender_steps_without_direction": 4.0}, GOOD), "in 4 of 20 steps"),
    ],
)
def test_adversaries_that_lose_track_are_reported(
    rounds: tuple[dict[str, float], ...], said: str
) -> None:
    assert said in words(*rounds)


def test_an_attribute_that_no_held_out_example_has_is_no_divergence() -> None:
    lost = {key: value for key, value in GOOD.items() if "adversary" not in key}
    lost.pop("gender_chance_loss")
    assert words(lost) == ""
