"""Which way is better: ``larger``, ``smaller`` or ``closer to`` a number."""

import math

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
            f'Which way is better is "larger", "smaller" or "closer to" a number, not "{better}".'
        )
    return goal
