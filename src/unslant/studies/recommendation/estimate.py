"""A number with its resamples, so that sums and differences of numbers have intervals too."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unslant.core.types import Array

FEWEST_DRAWS = 100
"""Fewer have no interval: its ends would be the extremes."""
_ENDS = (2.5, 97.5)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value and the same value on resamples, none if it has no interval."""

    value: float
    draws: Array | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % interval by percentiles, which holds the value."""
        if self.draws is None or len(self.draws) < FEWEST_DRAWS:
            return None
        low, high = np.percentile(self.draws, _ENDS)
        return min(float(low), self.value), max(float(high), self.value)

    @property
    def low(self) -> float:
        """The lower end of the interval, the value itself if there is none."""
        return self.bounds[0] if self.bounds else self.value

    def __sub__(self, other: "Estimate") -> "Estimate":
        """The difference on the same resamples; a number without any counts as exact."""
        mine, theirs = _as_long([self, other])
        draws = None if mine is None or theirs is None else mine - theirs
        return Estimate(self.value - other.value, draws)


def mean(items: Sequence[Estimate]) -> Estimate:
    """The mean of several; those without resamples count as exact, unless none has any.

    >>> mean([Estimate(0.2), Estimate(0.4)]).value
    0.30000000000000004
    """
    draws = _as_long(items)
    known = [part for part in draws if part is not None]
    return Estimate(
        float(np.mean([item.value for item in items])),
        np.mean(known, axis=0) if known else None,
    )


def _as_long(items: Sequence[Estimate]) -> list[Array | None]:
    """The resamples of each, as many as the one with fewest has; constants if it has none."""
    lengths = [len(item.draws) for item in items if item.draws is not None]
    if not lengths:
        return [None] * len(items)
    least = min(lengths)
    return [
        np.full(least, item.value) if item.draws is None else item.draws[:least] for item in items
    ]
