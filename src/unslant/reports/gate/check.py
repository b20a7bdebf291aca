"""One check of a gate, and what all of them say together."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Literal
from xml.etree import ElementTree

from unslant.core import wording
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Record, Result, what_was_measured, why_not_comparable
from unslant.core.score import Better, better_side
from unslant.core.verdicts.whole import widened
from unslant.core.visible import visible

Status = Literal["passed", "failed", "not judged", "skipped"]
Judge = Literal["interval", "value"]

PASSED, FAILED, NOT_JUDGED = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Check:
    """A requirement on one result, and its outcome."""

    name: str
    asked: str
    status: Status
    says: str


def exit_code(checks: Sequence[Check]) -> int:
    """0 if all pass, 1 if any fails, 2 if none fails but any, or all, cannot be judged."""
    found = {check.status for check in checks}
    if "failed" in found:
        return FAILED
    return PASSED if "passed" in found and "not judged" not in found else NOT_JUDGED


def names_of(result: Result) -> tuple[str, ...]:
    """How a result can be named, the shortest unambiguous one first.

    ``weat:career-family`` and ``weat``; a measure with parameters also by its expression.
    """
    item = result.now
    expression = str(item.parameters.get("expression", item.metric))
    test = str(item.parameters.get("subject", "")).partition("/")[2]
    measures = dict.fromkeys((item.metric, expression))
    return (*(f"{name}:{test}" for name in measures if test), *measures)


def name_of(record: Record, result: Result) -> str:
    """The name of a result that no other result has, if there is one."""
    taken = [name for other in record.results for name in names_of(other)]
    return next((name for name in names_of(result) if taken.count(name) == 1), names_of(result)[0])


def refuse_empty(record: Record, where: str) -> None:
    """Refuse a record in which nothing was measured: an empty one looks like a good one."""
    if record.study is not None:
        raise UnslantError(
            f"{where} is the record of a study. Check the record of an audit or a probe."
        )
    if all(result.now.value is None for result in record.results):
        raise UnslantError(f"{where} has no result with a value, so there is nothing to check.")


# Bounds on named results: `weat:career-family=1.7`.


@dataclass(frozen=True)
class Bound:
    """The largest or smallest value that the results of a name may have."""

    side: Literal["max", "min"]
    name: str
    value: float

    @classmethod
    def of(cls, side: Literal["max", "min"], text: str) -> "Bound":
        """Read ``NAME=NUMBER``; a name may have signs of equality of its own."""
        name, sign, number = text.rpartition("=")
        try:
            value = float(number.replace("−", "-"))
        except ValueError:
            value = math.nan
        if not sign or not name.strip() or not math.isfinite(value):
            raise UnslantError(
                f'--{side} takes a name and a number, such as "weat:career-family=1.7". Got '
                f'"{text}".'
            )
        return cls(side, name.strip(), value)

    def __str__(self) -> str:
        return f"{'at most' if self.side == 'max' else 'at least'} {self.value:g}"


def bound_checks(record: Record, bound: Bound, judge: Judge) -> Iterator[Check]:
    """A check of each result that a bound names."""
    found = [result for result in record.results if bound.name in names_of(result)]
    if not found:
        known = {name for result in record.results for name in names_of(result)}
        raise UnknownNameError("result of this record", bound.name, known)
    for result in found:
        yield _checked(record, result, bound, judge)


def _checked(record: Record, result: Result, bound: Bound, judge: Judge) -> Check:
    item, better = result.now, better_side(result.now.better)
    low, high = _allowed(bound, better)
    name = name_of(record, result)
    asked = _asked(bound, low, high)
    if item.value is None:
        says = f"It has no value: {item.why_undefined.rstrip('.')}."
        return Check(name=name, asked=asked, status="not judged", says=says)
    ends = (item.value, item.value)
    said = f"The value is {wording.number(item.value)}"
    if judge == "interval":
        if item.interval is None:
            says = f"{said} without an interval; --judge value judges the value alone."
            return Check(name=name, asked=asked, status="not judged", says=says)
        ends = item.interval.low, item.interval.high
        said += f", {wording.interval_text(item.interval, 3)}"
    is_kept = low <= ends[0] and ends[1] <= high
    return Check(name=name, asked=asked, status="passed" if is_kept else "failed", says=f"{said}.")


def _allowed(bound: Bound, better: Better | None) -> tuple[float, float]:
    """The values that keep a bound: on both sides of a goal, if the score has one."""
    if better is None or not better.has_goal:
        is_max = bound.side == "max"
        return (-math.inf, bound.value) if is_max else (bound.value, math.inf)
    reach = bound.value - better.goal if bound.side == "max" else better.goal - bound.value
    if reach < 0:
        raise UnslantError(
            f"--{bound.side} {bound.name}={bound.value:g}: {better.text} is better, so no value "
            f"could pass. Name a number on the other side of {better.goal:g}."
        )
    return better.goal - reach, better.goal + reach


def _asked(bound: Bound, low: float, high: float) -> str:
    if math.isfinite(low) and math.isfinite(high):
        return f"from {wording.span(low, high)}"
    return str(bound)


# Is a record no worse than another one?
#
# If the other record is of the baseline that this record was compared with, the changes in this
# record are used, which were measured on the same resamples. Otherwise the interval of a
# difference comes from the two intervals (Zou and Donner 2008), as if their resamples had nothing
# to do with each other. With many results some would look worse by chance, so intervals are
# widened for their number.

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


# Checks as JUnit XML, which build servers read.

_PARTS = {"failed": "failure", "not judged": "error", "skipped": "skipped"}


def junit(checks: Sequence[Check], suite: str) -> str:
    """One test case for each check; text is escaped, and control characters are written out."""
    counts = {status: sum(check.status == status for check in checks) for status in _PARTS}
    root = ElementTree.Element(
        "testsuite",
        name=visible(suite),
        tests=str(len(checks)),
        failures=str(counts["failed"]),
        errors=str(counts["not judged"]),
        skipped=str(counts["skipped"]),
    )
    for check in checks:
        name = f"{check.name}: {check.asked}"
        case = ElementTree.SubElement(root, "testcase", classname="unslant", name=visible(name))
        if part := _PARTS.get(check.status):
            ElementTree.SubElement(case, part, message=visible(check.says))
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
