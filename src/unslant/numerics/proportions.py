"""An interval for a share of successes."""

from math import sqrt
from statistics import NormalDist


def wilson_interval(successes: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval (1927), which stays within 0 and 1 and holds at both ends.

    Successes may be parts, such as the share of a word's sentences: that makes it conservative.

    >>> low, high = wilson_interval(10, 10)
    >>> round(low, 3), high
    (0.722, 1.0)
    """
    if not 0 <= successes <= total or total == 0:
        raise ValueError(f"{successes} of {total} is not a valid share.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / total
    middle = share + z * z / (2 * total)
    reach = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # At the ends the formula is exact up to rounding.
    low = (middle - reach) / scale if successes > 0 else 0.0
    return low, (middle + reach) / scale if successes < total else 1.0
