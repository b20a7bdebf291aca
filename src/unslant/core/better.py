"""Which direction of a measure is better: smaller, larger, or closer to a number."""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError

Values = TypeVar("Values", float, NDArray[np.float64])
_CLOSER = "closer to "


@dataclass(frozen=True)
class Better:
    """Which direction is better, parsed from its text in a record.

    ``goal`` is what values should be close to; it is infinite if there is no such number.

    >>> Better.of("closer to 0.5").gap(0.75), Better.of("larger").gap(0.75)
    (0.25, -0.75)
    """

    text: str
    goal: float

    @classmethod
    def of(cls, text: str) -> "Better":
        """Read ``smaller``, ``larger`` or ``closer to`` a number; anything else raises an error."""
        if text in ("smaller", "larger"):
            return cls(text, -math.inf if text == "smaller" else math.inf)
        try:
            is_close = text.startswith(_CLOSER)
            goal = float(text.removeprefix(_CLOSER).replace("−", "-")) if is_close else math.nan
        except ValueError:
            goal = math.nan
        if not math.isfinite(goal):
            raise UnslantError(
                f'The better direction of a measure is "larger", "smaller" or a target number, '
                f'such as 0. Got "{text}".'
            )
        return cls(text, goal)

    @property
    def has_goal(self) -> bool:
        """Whether values should be close to a number, from either side."""
        return math.isfinite(self.goal)

    @property
    def sign(self) -> str:
        """The better direction as a sign: ``↑``, ``↓``, or ``→`` with the goal."""
        if self.has_goal:
            return f"→{self.text.removeprefix(_CLOSER)}"
        return "↑" if self.goal > 0 else "↓"

    def gap(self, value: Values) -> Values:
        """How bad a value, or each of an array, is; smaller is better.

        With a goal, this is the distance from it.
        """
        if self.has_goal:
            return abs(value - self.goal)
        return -value if self.goal > 0 else value

    def gaps(self, low: float, high: float) -> tuple[float, float]:
        """The smallest and the largest gap of values from ``low`` to ``high``.

        >>> Better.of("closer to 0").gaps(-0.5, 0.25)
        (0.0, 0.5)
        """
        least, greatest = sorted((self.gap(low), self.gap(high)))
        return (0.0 if low <= self.goal <= high else least), greatest


SMALLER, LARGER = Better.of("smaller"), Better.of("larger")


def toward(goal: float) -> Better:
    """Closer to a number is better.

    >>> toward(0.5).text
    'closer to 0.5'
    """
    return Better.of(f"{_CLOSER}{goal:g}".replace("-", "−"))


def better_side(text: str) -> Better | None:
    """Which direction is better, or None if the text does not say."""
    try:
        return Better.of(text)
    except UnslantError:
        return None
