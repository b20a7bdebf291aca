"""One sentence for a whole record: in how many results a bias is shown, and how strong it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from unslant.core.finding import SHOWN, SIZES, Conclusion, Level
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Meaning, Record, Result
from unslant.core.score import Better, Scale, better_side
from unslant.core.verdicts.changes import BiasChange, bias_change, quality_change
from unslant.core.wording import UNDECIDED, brief, brief_p, interval_text, level_text, percent

_ORDER: tuple[Level, ...] = ("not judged", "undecided", "shown", *SIZES)


def conclusion_of(record: Record) -> Conclusion:
    """The conclusion from all findings of a record."""
    tests, others = _parts(record)
    counted = [*tests, *others]
    shown = [result for result in counted if _level(result) in SHOWN]
    parts = [_now(record, tests, others)]
    bias, quality = BiasChange(None, ""), None
    if record.baseline:
        bias = bias_change(record)
        quality, kept = quality_change(record)
        parts = [kept, *parts] if _is_about_quality(record) else [bias.sentence, *parts, kept]
    level = _level(strongest(shown)) if shown else "undecided" if counted else "not judged"
    if record.doubt:
        parts = [f"{UNDECIDED}: {record.doubt}, so these results do not answer how biased it is."]
    return Conclusion(
        level="undecided" if record.doubt else level,
        sentence=" ".join(parts),
        shown=len(shown),
        judged=len(counted),
        outcome="undecided" if record.doubt and bias.outcome else bias.outcome,
        quality=quality,
        removed=bias.shares.method if bias.shares else None,
        removed_by_chance=bias.shares.most if bias.shares and bias.shares.controls else None,
    )


def _is_about_quality(record: Record) -> bool:
    """Whether no result is about bias."""
    meanings = [record.glossary.get(result.now.metric) for result in record.results]
    return bool(meanings) and all(each and each.tells == "quality" for each in meanings)


def strongest(results: Sequence[Result]) -> Result:
    """The result whose bias is surely the strongest; among equals, the one furthest from ideal."""
    return max(results, key=_rank)


def _rank(result: Result) -> tuple[int, int, float]:
    finding, better = result.finding, better_side(result.now.better)
    assert finding is not None, "only judged results are ranked"
    value = result.now.value or 0.0
    gap = better.gap(value) if better else abs(value)
    return _place(finding.level), _place(finding.probable or finding.level), gap


def _place(level: Level) -> int:
    return _ORDER.index(level)


def _level(result: Result) -> Level:
    assert result.finding is not None, "only judged results have a level"
    return result.finding.level


def _parts(record: Record) -> tuple[list[Result], list[Result]]:
    """The results to judge: association tests by their first measure, and the rest.

    Other measures of the same tests would count the same bias again.
    """
    known = [result for result in record.results if _level(result) != "not judged"]
    roles = {name: meaning.role for name, meaning in record.glossary.items()}
    on_tests = [result for result in known if roles.get(result.now.metric) == "test"]
    tests = [result for result in on_tests if result.now.metric == on_tests[0].now.metric]
    return tests, [result for result in known if roles.get(result.now.metric) != "test"]


def _now(record: Record, tests: Sequence[Result], others: Sequence[Result]) -> str:
    """In how many tests and other measures a bias is shown."""
    subject = record.subject
    of = f"of “{subject.name if subject.kind == 'concept' else subject.title}”"
    found = tests or others
    if _is_about_quality(record):
        return "Bias was not measured."
    if not found:
        return f"{UNDECIDED}: no result {of} can be judged."
    noun = "association test" if tests else "measure" if record.about == "audit" else "score"
    said = _shown(found, noun, of, "still " if record.baseline else "")
    if not tests or not others:
        return said
    shown = [result for result in others if _level(result) in SHOWN]
    more = f"{len(others)} other {'measure' if len(others) == 1 else 'measures'} that can be judged"
    if not shown:
        return f"{said} None of {more} shows bias."
    does = "shows" if len(shown) == 1 else "show"
    where = _named(shown)
    return f"{said} Of {more}, {len(shown)} {does} bias, {where}."


def _named(shown: Sequence[Result]) -> str:
    """Where a bias is shown, or where the strongest is."""
    most = strongest(shown)
    assert most.finding is not None
    where = "strongest in" if len(shown) > 1 else "in"
    return f"{where} “{most.now.title or most.now.metric}” ({level_text(most.finding)})"


def _shown(found: Sequence[Result], noun: str, of: str, still: str) -> str:
    shown = [result for result in found if _level(result) in SHOWN]
    if not shown:
        if len(found) > 1:
            return f"{UNDECIDED}: none of {len(found)} {noun}s {of} shows a bias or rules one out."
        return f"{UNDECIDED}: the only {noun} {of} neither shows a bias nor rules one out."
    if len(found) == 1:
        named = _named(shown).removeprefix("in ")
        return f"Bias is {still}shown in the only {noun} {of}, {named}."
    return f"Bias is {still}shown in {len(shown)} of {len(found)} {noun}s {of}, {_named(shown)}."


# How strong a bias is for sure: by the end of the interval that is nearest to the ideal.

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
