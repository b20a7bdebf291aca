"""How strong a bias is for sure: by the end of the interval that is nearest to the ideal."""

from dataclasses import dataclass
from statistics import NormalDist

from unslant.core.better import Better, better_side
from unslant.core.finding import SIZES, Level
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Meaning, Result
from unslant.core.scale import Scale
from unslant.core.wording import brief, brief_p, interval_text, percent

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Strength:
    """A level, the higher one that the value itself has, and why it is not more."""

    level: Level
    why: str
    probable: Level | None = None


def strength_of(
    result: Result, meaning: Meaning | None, *, family: int = 1, has_baseline: bool = False
) -> Strength:
    """How strong the bias is that a result shows.

    ``family`` is the number of results by the same score. p-values are corrected for it already;
    intervals of scores without p-values are widened for it.
    """
    item, better = result.now, better_side(result.now.better)
    scale = meaning.scale if meaning else None
    lacking = _lacking(item, better, scale, has_baseline)
    if lacking or better is None or item.value is None:
        return Strength("not judged", lacking)
    interval = item.interval
    p = result.corrected.holm if result.corrected else item.p.value if item.p else None
    if interval and p is None:
        interval = widened(interval, item.value, family)
    goal = scale.ideal if scale else better.goal if better.has_goal else None
    if interval and goal is not None and _distances(scale, better, interval)[0] <= 0:
        many = f" (widened for {family} results)" if family > 1 and p is None else ""
        return Strength(
            "undecided", f"its {interval_text(interval)}{many} {_where(interval, goal)}"
        )
    if p is not None and p >= SIGNIFICANT:
        many = " after correction for the number of tests" if result.corrected else ""
        return Strength("undecided", f"its p-value is {brief_p(p)}{many}")
    if scale is None or scale.steps is None:
        return Strength("shown", "this measure has no scale of sizes")
    if interval is None:
        return Strength("shown", "it has no interval")
    return _sized(item.value, interval, better, scale, scale.steps)


def _where(interval: Interval, goal: float) -> str:
    """How an interval that shows no bias relates to the ideal."""
    if interval.low <= goal <= interval.high:
        return f"includes {brief(goal)}"
    return f"is not worse than {brief(goal)}"


def _lacking(
    item: Measurement, better: Better | None, scale: Scale | None, has_baseline: bool
) -> str:
    """What is missing for a verdict; empty if nothing is."""
    if item.value is None:
        return f"it has no value ({item.why_undefined.rstrip('.')})"
    if better is None:
        return "the measure does not say which direction is better"
    if item.p is None and scale is None:
        return "it has no p-value, and what this measure gives without any bias is not known"
    if scale and scale.needs_baseline and not has_baseline:
        return "its words were chosen by their bias in the same vectors, not in a baseline"
    if item.p is None and item.interval is None:
        return "it has neither an interval nor a p-value"
    return ""


def _sized(
    value: float,
    interval: Interval,
    better: Better,
    scale: Scale,
    steps: tuple[float, float, float],
) -> Strength:
    distance = scale.distance(better, value)
    if distance < steps[0]:
        return Strength(
            "undecided",
            f"though its {interval_text(interval)} excludes {brief(scale.ideal)}, a bias counts "
            f"as weak from a distance of {brief(steps[0])}",
        )
    sure = size_of(scale.distances(better, interval.low, interval.high)[0], steps)
    probable = size_of(distance, steps)
    is_more = SIZES.index(probable) > SIZES.index(sure)
    return Strength(sure, "", probable=probable if is_more else None)


def size_of(distance: float, steps: tuple[float, float, float]) -> Level:
    """The level of a distance from the ideal that is surely not 0.

    >>> size_of(0.1, (0.2, 0.5, 0.8)), size_of(0.5, (0.2, 0.5, 0.8)), size_of(2, (0.2, 0.5, 0.8))
    ('weak', 'moderate', 'strong')
    """
    _, moderate, strong = steps
    return "strong" if distance >= strong else "moderate" if distance >= moderate else "weak"


def widened(interval: Interval, value: float, family: int) -> Interval:
    """An interval widened for the number of results, by normal quantiles.

    >>> found = widened(Interval(low=1.0, high=4.0, level=0.95, how="t"), 2.0, 10)
    >>> round(found.low, 2), round(found.high, 2)
    (0.57, 4.86)
    """
    if family <= 1:
        return interval
    tail = (1 - interval.level) / 2
    one, many = (NormalDist().inv_cdf(1 - share) for share in (tail, tail / family))
    low = min(interval.low, value - (value - interval.low) * many / one)
    high = max(interval.high, value + (interval.high - value) * many / one)
    return Interval(low=low, high=high, level=interval.level, how=interval.how)


def _distances(scale: Scale | None, better: Better, interval: Interval) -> tuple[float, float]:
    if scale:
        return scale.distances(better, interval.low, interval.high)
    return better.gaps(interval.low, interval.high)


def random_lists(item: Measurement, scale: Scale | None) -> str:
    """A caution if many random word lists have as large an effect."""
    share = item.details.get(scale.random_share) if scale and scale.random_share else None
    if not isinstance(share, int | float) or share > 1 - SIGNIFICANT:
        return ""
    return (
        f"{percent(1 - share)} of random word lists give as much, so it may not be specific to "
        f"these lists."
    )
