"""Which way is better: ``larger``, ``smaller`` or ``closer to`` a number.

Measures say it so; a person may write the number alone.
"""

import math
from contextlib import suppress

from unslant.core.errors import UnslantError

_CLOSER = "closer to "


def loss(value: float, better: str) -> float:
    """How bad a value is: the smaller, the better.

    >>> loss(0.7, "larger"), loss(0.7, "smaller"), round(loss(0.7, "closer to 0.5"), 3)
    (-0.7, 0.7, 0.2)
    """
    if better == "smaller":
        return value
    if better == "larger":
        return -value
    return abs(value - _goal(better))


def direction(text: str) -> str:
    """Which way is better as measures say it; anything else is refused.

    >>> direction("0.5"), direction("smaller")
    ('closer to 0.5', 'smaller')
    """
    way = text.strip()
    with suppress(ValueError):
        float(way)
        way = f"{_CLOSER}{way}"
    loss(0.0, way)
    return way


def is_known(better: str) -> bool:
    """Whether the text says which way is better."""
    try:
        loss(0.0, better)
    except UnslantError:
        return False
    return True


def _goal(better: str) -> float:
    try:
        goal = float(better.removeprefix(_CLOSER)) if better.startswith(_CLOSER) else math.nan
    except ValueError:
        goal = math.nan
    if not math.isfinite(goal):
        raise UnslantError(
            f'Which way is better is "larger", "smaller" or the number to be close to, such as 0, '
            f'not "{better}".'
        )
    return goal
