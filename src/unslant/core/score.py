"""What a measure declares about each number it returns."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError

# Which direction of a measure is better: smaller, larger, or closer to a number.

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


# From which distance a score shows a weak, a moderate or a strong bias.


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The value of an unbiased resource, and the distances from it that count as a bias.

    ``ideal`` is declared only if a resource without bias has it on average. ``steps`` are the
    distances from which a bias counts as weak, moderate and strong, by the convention of
    ``source``; without them a bias is shown or undecided, and its size is not judged.

    If ``needs_baseline``, the measure chooses its words by their bias, so that only words which
    another space chose say anything. If ``only_above``, values below the ideal are no bias: a
    classifier that is right less often than by chance has found nothing. ``random_share`` is the
    detail of a measurement with the share of random word lists that give less.

    >>> Scale(ideal=0.5, steps=(0.05, 0.15, 0.25)).distances(Better.of("closer to 0.5"), 0.4, 0.9)
    (0.0, 0.4)
    """

    ideal: float
    steps: tuple[float, float, float] | None = None
    source: str = ""
    needs_baseline: bool = False
    only_above: bool = False
    random_share: str = ""

    def __post_init__(self) -> None:
        if self.steps and not all(low < high for low, high in pairwise((0.0, *self.steps))):
            raise ValueError(f"The steps of a scale must rise from above 0, not {self.steps}.")

    def distance(self, better: Better, value: float) -> float:
        """How far a value is from the ideal, on the side that is worse."""
        if self.only_above:
            return max(0.0, value - self.ideal)
        if better.has_goal:
            return better.gap(value)
        return max(0.0, better.gap(value) - better.gap(self.ideal))

    def distances(self, better: Better, low: float, high: float) -> tuple[float, float]:
        """The smallest and the largest distance of values from ``low`` to ``high``."""
        if better.has_goal and not self.only_above:
            return better.gaps(low, high)
        least, greatest = sorted(self.distance(better, end) for end in (low, high))
        return least, greatest


COHEN = "cohen-1988"

EFFECT_SIZE = Scale(ideal=0.0, steps=(0.2, 0.5, 0.8), source=COHEN)
"""Cohen's d: a difference of two means in standard deviations (1988, chapter 2)."""

DIFFERENCE = Scale(ideal=0.0)
"""A difference that is 0 without bias, in a unit that has no convention of sizes."""


def share_of_chance(points: float = 1.0) -> Scale:
    """Cohen's g: how far a share is from one half (1988, chapter 5), of so many points.

    >>> share_of_chance(100).steps
    (5.0, 15.0, 25.0)
    """
    small, medium, large = 0.05 * points, 0.15 * points, 0.25 * points
    return Scale(ideal=0.5 * points, steps=(small, medium, large), source=COHEN)


Tells = Literal["bias", "quality", "background"]
"""What a number is about: bias, the quality of a resource, or how to read other numbers."""


@dataclass(frozen=True)
class Range:
    """The range of values; ``text`` replaces the printed form if more must be explained.

    >>> str(Range(-1, 1)), str(Range(0, math.inf)), Range(0, 1).holds(1.5)
    ('−1 to 1', '0 and up', False)
    """

    low: float = -math.inf
    high: float = math.inf
    text: str = ""

    def __str__(self) -> str:
        if self.text:
            return self.text
        low, high = (f"{end:g}".replace("-", "−") for end in (self.low, self.high))
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"{low} to {high}"
        return f"{low} and up" if math.isfinite(self.low) else "unbounded"

    def holds(self, value: float) -> bool:
        """Whether a value lies in the range, but for rounding."""
        return self.low - 1e-9 <= value <= self.high + 1e-9


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Which keys of a measurement's points make a figure, and of which kind.

    ``axis`` draws the items furthest to either side of ``x``; ``plane`` draws ``x`` against ``y``;
    ``clusters`` does so on the first two principal axes, with the ``group`` of each point as its
    colour, filled or hollow by its ``cluster``. ``unit`` says what the numbers are, if keys do not.

    The others are keys of the measurement's details. ``sides`` name what lies above 0 and below 0
    on an axis, or what ``y`` and ``x`` of a plane measure closeness to; ``words`` list the words
    of these sides. ``along`` says which direction an axis is, and ``facts`` are shown next to the
    value of a clustering.
    """

    kind: Literal["axis", "plane", "clusters"]
    x: str
    y: str = ""
    label: str = "word"
    group: str = ""
    cluster: str = ""
    unit: str = ""
    sides: tuple[str, str] | None = None
    words: tuple[str, str] | None = None
    along: str = ""
    facts: tuple[str, ...] = ()


LEAN_DRAWN = (
    Drawing(
        kind="plane",
        x="second-cosine",
        y="first-cosine",
        unit="mean cosine",
        sides=("first-side", "second-side"),
        words=("words-of-the-first-side", "words-of-the-second-side"),
    ),
    Drawing(
        kind="axis",
        x="projection",
        sides=("positive-side", "negative-side"),
        along="direction",
    ),
)
"""Words by their mean cosines with two sides, and along a direction."""
CLUSTERS_DRAWN = (
    Drawing(
        kind="clusters",
        x="x",
        y="y",
        group="side",
        cluster="cluster",
        unit="accuracy",
        facts=("V-measure",),
    ),
)
"""Words by two clusters of theirs and by their sides."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """One number of a measure: which way is better, how far it goes, what it says.

    ``says`` is one line, by default the first of the measure's docstring; ``short`` is what the
    papers' tables call it. A contrast is a number of two target sets and two attribute sets: above
    0 the first target goes with the first attribute and the second with the second, below 0 the
    other way round.

    ``scale`` says when a bias is weak, moderate or strong. Without one only a p-value can show a
    bias: a measure may differ from its best value in vectors without any. ``tolerated`` is the loss
    of a quality that still counts as keeping it.
    """

    better: Better
    range: Range
    misleads: str
    says: str = ""
    short: str = ""
    cites: str = ""
    is_contrast: bool = False
    drawn: tuple[Drawing, ...] = ()
    tells: Tells = "bias"
    scale: Scale | None = None
    tolerated: float | None = None

    def __post_init__(self) -> None:
        if self.scale and self.tells != "bias":
            raise ValueError("Only a score about bias has a scale of bias.")
        if self.tolerated is not None and self.tells != "quality":
            raise ValueError("Only a score about quality has a tolerated loss.")
        if self.scale and self.better.has_goal and self.scale.ideal != self.better.goal:
            raise ValueError(
                f"The ideal of the scale is {self.scale.ideal:g}, but better is {self.better.text}."
            )
