"""How strong an association test is, in words."""

from collections.abc import Sequence

from unslant.core.measurement import Measurement
from unslant.core.record import Record, Result
from unslant.reports import words
from unslant.reports.results import better_of, meaning_of
from unslant.reports.words import number

_SIZES = ((0.8, "strongly"), (0.5, "moderately"), (0.2, "weakly"), (0.0, "hardly"))
"""Cohen's conventions for a difference in standard deviations."""

_SIGNIFICANT = 0.05
VERDICTS = {
    "better": "a clear improvement",
    "worse": "clearly worse",
    "unclear": "no clear change",
}


def strongest(tests: Sequence[Result]) -> Result:
    """The test furthest from fair."""
    return max(tests, key=lambda result: _size(result.now))


def _size(item: Measurement) -> float:
    better = better_of(item)
    return better.gap(item.value or 0.0) if better else abs(item.value or 0.0)


def pairs_of(record: Record, item: Measurement) -> str:
    """What a contrast says goes together, such as ``math with male terms and …``."""
    meaning = meaning_of(record, item)
    if meaning is None or not meaning.is_contrast or len(item.words) != 4 or not item.value:
        return ""
    first, second, one, other = (use.set for use in item.words)
    if item.value < 0:
        one, other = other, one
    return f"{first} with {one} and {second} with {other}"


def association(record: Record, result: Result, *, is_only: bool) -> str:
    """A sentence on one association test, with its size, its scale and its interval."""
    item = result.now
    scale = words.scale(meaning_of(record, item))
    sure = interval_note(item, 2)
    on = f" on a scale of {scale}" if scale else ""
    size = f"{number(item.value, 2)}{on}{f'; {sure}' if sure else ''}"
    pairs = pairs_of(record, item)
    if not pairs or item.value is None:
        what = "The association test" if is_only else "The strongest association"
        return f"{what} is “{item.title}” ({size})."
    if item.interval:
        is_unclear = item.interval.low <= 0 <= item.interval.high
    else:
        is_unclear = item.p is not None and item.p.value > _SIGNIFICANT
    if is_unclear:
        what = "The tested association" if is_only else "The strongest association"
        return f"No association is clear. {what}, {pairs}, may be 0 ({size})."
    adverb = next(name for least, name in _SIZES if abs(item.value) >= least)
    also = "" if is_only else ", the strongest association found"
    if adverb == "hardly":
        return f"These vectors hardly associate {pairs} ({size}){also}."
    return f"These vectors associate {pairs} {adverb} ({size}){also}."


def interval_note(item: Measurement, digits: int) -> str:
    """The interval with its level, such as ``95 % interval 1.45 to 1.84``."""
    if item.interval is None:
        return "no interval"
    return f"{words.level(item.interval)} interval {words.interval(item.interval, digits)}"
