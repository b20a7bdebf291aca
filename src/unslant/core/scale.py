"""From which distance a score shows a weak, a moderate or a strong bias."""

from dataclasses import dataclass
from itertools import pairwise

from unslant.core.better import Better


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
