"""What several trainings of a model say together: mean, spread, and the difference of two sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from experiments.papers.tables import number, signed


def spread(values: Sequence[float]) -> float | None:
    """The sample's standard deviation; none for one value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def mean_and_spread(values: Sequence[float], digits: int = 3) -> str:
    """As in ``.387 ± .012 (4)``: mean, standard deviation, number of trainings."""
    if not values:
        return "–"
    wide = spread(values)
    shown = number(float(np.mean(values)), digits)
    return f"{shown} (1)" if wide is None else f"{shown} ± {number(wide, digits)} ({len(values)})"


def one_more(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Where one more training would be: Student's prediction interval.

    A published number is one training, so it is compared with this and not with the interval of
    the mean.
    """
    count = len(values)
    error = float(np.std(values, ddof=1)) * math.sqrt(1 + 1 / count)
    reach = float(t.ppf((1 + level) / 2, count - 1)) * error
    return float(np.mean(values)) - reach, float(np.mean(values)) + reach


@dataclass(frozen=True)
class Difference:
    """How far two sets of trainings are apart, with Welch's 95 % interval if both are several."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_told_apart(self) -> bool | None:
        """Whether the interval excludes 0; ``None`` without an interval."""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return signed(self.value)
        return f"{signed(self.value)} [{signed(self.low)}, {signed(self.high)}]"


def difference(these: Sequence[float], others: Sequence[float], level: float = 0.95) -> Difference:
    """Mean of these − mean of the others, with Welch's interval.

    The interval uses Student's t with the Welch–Satterthwaite degrees of freedom, so it allows for
    few trainings and for different spreads. One training in either set has no spread and no
    interval.
    """
    value = float(np.mean(these) - np.mean(others))
    if min(len(these), len(others)) < 2:
        return Difference(value)
    parts = [float(np.var(each, ddof=1)) / len(each) for each in (these, others)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return Difference(value, value, value)
    sizes = (len(these), len(others))
    freedom = sum(parts) ** 2 / sum(
        part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True)
    )
    reach = float(t.ppf((1 + level) / 2, freedom)) * error
    return Difference(value, value - reach, value + reach)


def told(apart: Difference) -> str:
    """Whether chance is excluded, in words."""
    return {True: "yes", False: "no", None: "one training"}[apart.is_told_apart]
