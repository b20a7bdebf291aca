"""Bounds on named results: ``weat:career-family=1.7``."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from unslant.core import wording
from unslant.core.better import Better, better_side
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.record import Record, Result
from unslant.reports.gate.check import Check, Judge, name_of, names_of


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
