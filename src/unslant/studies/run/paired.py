"""The values of a cell on the same resamples before and after its method."""

from typing import Any

import numpy as np

from unslant.core.measurement import Measurement
from unslant.measures.change import change_of

MOST_DRAWS = 500
"""So many are written down, the first ones: enough for an interval, and a few kilobytes."""
_DIGITS = 6


def paired(now: Measurement, before: Measurement) -> dict[str, Any] | None:
    """Both values with their resamples, and whether the change is clear; None without a value.

    These separate differences between methods from chance: two methods that are measured on
    the same resampled words have in common what the words do to either.
    """
    if now.value is None or before.value is None:
        return None
    pair: dict[str, Any] = {
        "before": before.value,
        "verdict": change_of(now, before).verdict,
        "draws": [],
        "draws_before": [],
    }
    mine, theirs = now.draws, before.draws
    if mine is None or theirs is None or mine.key != theirs.key:
        return pair
    both = np.stack([mine.values[:MOST_DRAWS], theirs.values[:MOST_DRAWS]])
    both = both[:, np.isfinite(both).all(axis=0)]
    pair["draws"], pair["draws_before"] = both.round(_DIGITS).tolist()
    return pair
