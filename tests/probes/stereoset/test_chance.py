"""What resamples and random signs say of StereoSet's scores, in cases worked by hand."""

import numpy as np
import pytest

from tests.probes.stereoset.made_items import inter
from unslant.probes.stereoset import enhanced
from unslant.probes.stereoset.enhanced import Sampling, top_count
from unslant.probes.stereoset.target_scores import ScoreCell, compared, measured


def test_the_top_share_is_rounded_to_the_nearest_number_of_items() -> None:
    assert [top_count(items, 0.1) for items in (4, 14, 15, 236, 231)] == [1, 1, 2, 24, 23]


@pytest.mark.parametrize(("sign", "expected"), [(1, 1 / 4), (-1, 1.0)])
def test_only_a_strength_of_stereotypes_is_evidence_of_them(sign: int, expected: float) -> None:
    # Of the four equally likely signs of two items, one leans as much to the stereotype.
    found = enhanced.measured(
        "stereoset-strength",
        "Strength",
        sign * np.array([0.5, 0.3]),
        ["a", "b"],
        1.0,
        Sampling(key="k", seed=0, resamples=50),
        spread=1.0,
    )
    assert found.p is not None
    assert found.p.alternative == "greater"
    assert found.p.value == pytest.approx(expected, abs=0.02)


def test_the_interval_over_items_draws_the_items_of_every_term() -> None:
    # All four items of "a" agree; of the four of "b" every second one does, so that SS is
    # (100 + 50) / 2, and only the items of "b" can make a resample differ.
    items = [inter(n, target="a" if n < 4 else "b") for n in range(8)]
    wins = np.array([1, 1, 1, 1, 1, 0, 1, 0])
    scores = np.stack([wins, 1 - wins, np.full(8, -1)], axis=1).astype(np.float64)
    cell = ScoreCell(name="", title="all", places=tuple(range(8)))
    ss, _, _ = measured(compared(items, scores, "half"), cell, key="k", seed=0, resamples=2_000)
    assert ss.value == 75
    # With 0 or 4 of 4 right in 1/16 of the resamples each, both are in the middle 95 %.
    assert (ss.details["low-over-items"], ss.details["high-over-items"]) == (50, 100)
