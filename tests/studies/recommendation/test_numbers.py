"""From cells to shares: cases worked by hand."""

from typing import Any

import numpy as np
import pytest

from unslant.studies.recommendation.choice import choose
from unslant.studies.recommendation.numbers import ORIGINAL, numbers_of
from unslant.studies.run.contents import FoundCell
from unslant.studies.run.store import Failure


def cell(
    method: str,
    measure: str,
    metric: str,
    value: float | None,
    *,
    interval: tuple[float, float] | None = None,
    verdict: str = "better",
    draws: tuple[list[float], list[float]] = ([], []),
) -> FoundCell:
    measurement: dict[str, Any] = {
        "metric": metric,
        "value": value,
        "why_undefined": "" if value is not None else "no direction is left",
        "interval": {"low": interval[0], "high": interval[1]} if interval else None,
    }
    pair = {"verdict": verdict, "draws": draws[0], "draws_before": draws[1]}
    result = {"measurement": measurement, "paired": None if method == ORIGINAL else pair}
    label = ("vectors", method, measure, "gender", 0)
    return FoundCell(label=label, id=f"{method}{measure}", state="done", result=result)


def numbers(*cells: FoundCell) -> Any:
    methods = {str(item.label[1]): "" for item in cells}
    return numbers_of(cells, methods, {"a": 3}, ["random"], dim=100)


def test_the_share_removed_is_that_of_the_distance_from_the_best_value() -> None:
    found = numbers(
        cell(ORIGINAL, "W", "weat", -1.5, interval=(-1.8, -1.0)),
        cell(ORIGINAL, "R", "recoverability", 0.9),
        cell(ORIGINAL, "N", "nli-net-neutral", 0.6),
        cell(ORIGINAL, "M", "similarity", 0.8),
        cell("a", "W", "weat", 0.3),  # beyond 0: a fifth of the distance is left
        cell("a", "R", "recoverability", 0.6),  # 0.1 of 0.4 above chance is left
        cell("a", "N", "nli-net-neutral", 0.5, verdict="worse"),  # 0.5 of 0.4 away from 1
        cell("a", "M", "similarity", 0.76),
        cell("random", "W", "weat", -1.5),
        cell("random", "R", "recoverability", 0.9),
        cell("random", "N", "nli-net-neutral", 0.6),
        cell("random", "M", "similarity", 0.88),
    )
    [option], [control] = found.options, found.controls
    shares = {name: item.value for name, item in option.removed.items()}
    assert shares == pytest.approx({"W": 0.8, "R": 0.75, "N": -0.25})
    assert option.kept["M"].value == pytest.approx(0.95)
    assert control.kept["M"].value == 1  # a gain does not make up for other losses
    assert control.bias.value == 0
    assert option.kinds == {"W": "weat", "R": "recoverability", "N": "downstream"}
    assert (option.better, option.worse, option.downstream) == ({"W", "R"}, {"N"}, {"N"})
    assert option.cost == 3


def test_resamples_give_the_interval_of_the_share() -> None:
    rng = np.random.default_rng(0)
    before = (1.0 + 0.1 * rng.standard_normal(300)).tolist()
    after = [value / 2 for value in before]
    found = numbers(
        cell(ORIGINAL, "W", "weat", 1.0, interval=(0.8, 1.2)),
        cell("a", "W", "weat", 0.5, draws=(after, before)),
    )
    # Both are halved on every resample, so the share is the same on all of them.
    assert found.options[0].bias.bounds == pytest.approx((0.5, 0.5))


def test_a_bias_that_the_original_does_not_show_is_left_out() -> None:
    found = numbers(
        cell(ORIGINAL, "W", "weat", 0.1, interval=(-0.3, 0.5)),
        cell(ORIGINAL, "D", "direct-bias", 0.1, interval=(0.09, 0.11)),
        cell("a", "W", "weat", 0.0),
        cell("a", "D", "direct-bias", 0.3, verdict="unknown"),
    )
    assert list(found.options[0].removed) == ["D"]
    assert found.options[0].bias.value == -1  # more than doubled counts as doubled
    assert found.options[0].worse == {"D"}
    assert [item.what for item in found.left_out] == ["W"]
    assert found.shows_bias  # 0.09 is above the mean |cosine| of random vectors, 0.08


def test_direct_bias_no_larger_than_that_of_random_vectors_is_none() -> None:
    found = numbers(
        cell(ORIGINAL, "D", "direct-bias", 0.085, interval=(0.075, 0.095)),
        cell(ORIGINAL, "R", "recoverability", 1.0, interval=(1.0, 1.0)),
        cell("a", "D", "direct-bias", 0.0),
        cell("a", "R", "recoverability", 0.5),
    )
    assert [item.what for item in found.left_out] == ["D"]
    # Words lean most along any direction, so that they can be told apart is no evidence of bias.
    assert not found.shows_bias
    assert choose(found.options, "audit", shows_bias=found.shows_bias).chosen is None


def test_a_method_without_a_number_is_left_out_with_the_reason() -> None:
    failed = FoundCell(
        label=("vectors", "b", "D", "gender", 0),
        id="x",
        state="failed",
        failure=Failure(id="x", label=(), message="too few words"),
    )
    found = numbers(
        cell(ORIGINAL, "D", "direct-bias", 0.1), cell("a", "D", "direct-bias", None), failed
    )
    assert found.options == []
    assert {item.what: item.why for item in found.left_out} == {
        "a": "D: no direction is left",
        "b": "D: too few words",
    }
