"""McNemar's exact test: do two conditions differ on the same items?"""

from typing import NamedTuple

_SMALLEST = 1e-300


class McNemar(NamedTuple):
    """The two-sided p-value, and how many items were right in one condition only."""

    p_value: float
    only_first: int
    only_second: int

    @property
    def outcomes(self) -> int:
        """How many outcomes there are, up to the largest whole number that a float has."""
        return int(2 ** min(self.only_first + self.only_second, 53))

    @property
    def error(self) -> float:
        """By how much the p-value may be too large, which it is if it is too small for a float."""
        return _SMALLEST if self.p_value <= _SMALLEST else 0.0


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """The exact test (McNemar 1947): items right in one condition only fall on either side alike.

    p = min(1, 2 P(X ≤ min(b, c))) with X binomial of b + c trials at ½; without such items, p = 1.

    >>> mcnemar(1, 5).p_value
    0.21875
    """
    from scipy.stats import binom

    total, fewer = only_first + only_second, min(only_first, only_second)
    p = min(1.0, 2 * float(binom.cdf(fewer, total, 0.5))) if total else 1.0
    return McNemar(max(p, _SMALLEST), only_first, only_second)
