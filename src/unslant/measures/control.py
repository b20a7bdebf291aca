"""Does debiasing do more than removing any direction would?"""

from collections.abc import Sequence

import numpy as np

from unslant.core.better import Better, better_side
from unslant.core.measurement import Measurement, PValue
from unslant.core.record import Control

_TOLERANCE = 1e-12


def control_of(
    now: Measurement, random: Sequence[Measurement], directions: int, instead: str = ""
) -> Control | None:
    """A measurement beside the same one with random directions removed; None if one is undefined.

    ``instead`` says what the controls are if they are something else. p is the share of the
    controls, the debiased result counted in, that are at least as good; with eight controls it
    cannot be below 1/9.
    """
    values = [item.value for item in random if item.value is not None]
    if now.value is None or not values or len(values) < len(random):
        return None
    mean = float(np.mean(values))
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    # Controls that differ by rounding only have no spread to measure with.
    is_spread = sd is not None and sd > _TOLERANCE * max(1.0, abs(mean))
    better = better_side(now.better)
    return Control(
        values=tuple(values),
        directions=directions,
        mean=mean,
        sd=sd,
        deviations=(now.value - mean) / sd if is_spread and sd else None,
        p=_p_value(now.value, values, better) if better else None,
        instead=instead,
    )


def _p_value(value: float, controls: Sequence[float], better: Better) -> PValue:
    """How often a random direction does at least as well."""
    most = better.gap(value) + _TOLERANCE * max(1.0, abs(value))
    as_good = sum(better.gap(control) <= most for control in controls)
    return PValue(
        value=(as_good + 1) / (len(controls) + 1),
        how="monte carlo",
        alternative={"larger": "greater", "smaller": "less"}.get(better.text, better.text),
        outcomes=len(controls) + 1,
    )
