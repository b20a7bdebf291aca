"""What a measure declares about each number it returns."""

import math
from dataclasses import dataclass
from typing import Literal

from unslant.core.better import Better
from unslant.core.scale import Scale

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
