"""Is a record no worse than another one?

If the other record is of the baseline that this record was compared with, the changes in this
record are used, which were measured on the same resamples. Otherwise the interval of a difference
comes from the two intervals (Zou and Donner 2008), as if their resamples had nothing to do with
each other. With many results some would look worse by chance, so intervals are widened for their
number.
"""

from collections.abc import Iterator, Sequence
from math import hypot

from unslant.core import wording
from unslant.core.better import Better, better_side
from unslant.core.comparison import what_was_measured, why_not_comparable
from unslant.core.errors import UnslantError
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Record, Result
from unslant.core.verdicts.levels import widened
from unslant.reports.gate.check import Check, Judge, Status, name_of

_ROUNDING = 1e-12


def against_checks(record: Record, base: Record, judge: Judge) -> Iterator[Check]:
    """A check of each result that both records have."""
    if record.subject.name != base.subject.name:
        raise UnslantError(
            f"The records are about different subjects: “{record.subject.name}” and "
            f"“{base.subject.name}”."
        )
    before = {what_was_measured(result.now): result.now for result in base.results}
    both = [
        (result, before[what])
        for result in record.results
        if (what := what_was_measured(result.now)) in before
    ]
    if not both:
        raise UnslantError("The records have no measure in common, so they do not compare.")
    paired = is_paired(record, base)
    family = len([1 for result, other in both if _is_judged(result, other, paired)])
    for result, other in both:
        status, says = _compared(result, other, judge, paired, max(1, family))
        yield Check(
            name=name_of(record, result),
            asked="no worse than before",
            status=status,
            says=says,
        )


def is_paired(record: Record, base: Record) -> bool:
    """Whether this record was compared with what the other is of, on the same resamples."""
    one, other = record.baseline, base.resource
    return bool(one and other and one.sha256 and one.sha256 == other.sha256)


def _is_judged(result: Result, other: Measurement, paired: bool) -> bool:
    if paired:
        return bool(result.change and result.change.interval)
    return bool(result.now.interval and other.interval)


def _compared(
    result: Result, other: Measurement, judge: Judge, paired: bool, family: int
) -> tuple[Status, str]:
    item, better = result.now, better_side(result.now.better)
    why = why_not_comparable(item, other)
    if why or better is None:
        return "skipped", f"Not comparable: {why or 'no direction is better'}."
    if other.value is None:
        return "skipped", f"It had no value before: {other.why_undefined.rstrip('.')}."
    if item.value is None:
        return "not judged", f"It has no value any more: {item.why_undefined.rstrip('.')}."
    said = f"From {wording.span(other.value, item.value)}"
    if judge == "value":
        is_worse = better.gap(item.value) > better.gap(other.value) + _ROUNDING
        return "failed" if is_worse else "passed", f"{said}."
    if paired and result.change and result.change.interval:
        found = widened(result.change.interval, item.value - other.value, family)
        is_worse = result.change.verdict == "worse" and not found.low <= 0 <= found.high
        ends = f"change {wording.interval(found)}, on the same resamples"
    elif item.interval and other.interval:
        found = widened(*_difference(item, other, better), family)
        is_worse = found.low > 0
        ends = f"change of the distance from the best value {wording.interval(found)}, not paired"
    elif other.interval:
        return "not judged", f"{said}; the interval of before is missing now."
    else:
        return "skipped", f"{said}; without intervals it is not judged."
    return "failed" if is_worse else "passed", f"{said}; {ends}."


def _difference(item: Measurement, other: Measurement, better: Better) -> tuple[Interval, float]:
    """The interval of how much further from the best value this is, from two intervals."""
    now, then = (_gaps(one, better) for one in (item, other))
    value = now[1] - then[1]
    low = value - hypot(now[1] - now[0], then[2] - then[1])
    high = value + hypot(now[2] - now[1], then[1] - then[0])
    assert item.interval is not None
    return Interval(low=low, high=high, level=item.interval.level, how="Zou and Donner"), value


def _gaps(item: Measurement, better: Better) -> Sequence[float]:
    """The least, the measured and the largest distance."""
    assert item.interval is not None
    assert item.value is not None
    least, most = better.gaps(item.interval.low, item.interval.high)
    gap = better.gap(item.value)
    return min(least, gap), gap, max(most, gap)
