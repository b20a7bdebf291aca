"""The numbers of a study as a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from unslant.core.errors import UnslantError
from unslant.core.score import better_side
from unslant.core.study_record import (
    ChangedNumber,
    LabelledNumber,
    LackingNumber,
    OtherInputs,
    StudyDifference,
    StudyTable,
    TableRow,
)
from unslant.studies.answers.pivot import DONE, FAILED, MISSING, USUAL, Pivot, Row, notes, pivot


def table(
    rows: Sequence[Row], *, by: Sequence[str] = USUAL, better: Mapping[str, str] | None = None
) -> StudyTable:
    """Measures across, the sides ``by`` down, the best of each column.

    Best is by the direction of the measure among cells that used the same words; one cell alone
    is not the best of anything. Missing and failed cells are shown as such, and counted.
    """
    grid = pivot(rows, by=by, better=better)
    best = [_best(grid, place) for place in range(len(grid.columns))]
    return StudyTable(
        by=grid.by,
        columns=grid.columns,
        rows=tuple(
            TableRow(
                key=key,
                cells=tuple(
                    replace(cell, best=number in best[place]) for place, cell in enumerate(cells)
                ),
            )
            for number, (key, cells) in enumerate(zip(grid.keys, grid.cells, strict=True))
        ),
        notes=notes(grid),
    )


def _best(grid: Pivot, place: int) -> set[int]:
    better = better_side(grid.columns[place].better)
    if better is None:
        return set()
    losses = {
        number: better.gap(cells[place].value or 0.0)
        for number, cells in enumerate(grid.cells)
        if cells[place].state == DONE and not cells[place].other_words
    }
    least = min(losses.values(), default=math.inf)
    best = {number for number, size in losses.items() if size == least}
    return best if len(best) < len(losses) else set()


# The differences between two studies, label by label.

RELATIVE, ABSOLUTE = 1e-9, 1e-12
_MOST = 1e12  # a larger relative change is one from nothing


def diff(
    first: Sequence[Row],
    second: Sequence[Row],
    *,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
) -> StudyDifference:
    """A record of the values that changed, the labels that only one has, and what failed.

    Numbers are the same within ``relative`` of the larger or within ``absolute``. ``is_same`` is
    True where both have the same labels, all done, with the same values, intervals, p-values and
    words; inputs may differ (a new version of the program changes every id), and
    ``has_same_inputs`` says whether they do.
    """
    if not (0 <= relative < 1 and 0 <= absolute < math.inf):
        raise UnslantError(
            f"A tolerance is 0 or more, and a relative one below 1. Got {relative} and {absolute}."
        )
    a, b = ({row.label: row for row in rows} for rows in (first, second))
    common = [label for label in a if label in b]
    pairs = [(a[label], b[label]) for label in common]
    changed = [
        _change(one, other, parts)
        for one, other in pairs
        if (parts := _parts(one, other, relative, absolute))
    ]
    other_inputs = [
        OtherInputs(**_named(one), a=one.id, b=other.id)
        for one, other in pairs
        if one.id and other.id and one.id != other.id
    ]
    only_first = [LabelledNumber(**_named(a[label])) for label in a if label not in b]
    only_second = [LabelledNumber(**_named(b[label])) for label in b if label not in a]
    lacking = [_lack("A", row) for row in first] + [_lack("B", row) for row in second]
    lacking = [item for item in lacking if item.state in (FAILED, MISSING)]
    return StudyDifference(
        is_same=not (changed or only_first or only_second or lacking),
        has_same_inputs=not other_inputs,
        relative=relative,
        absolute=absolute,
        compared=len(pairs),
        changed=tuple(sorted(changed, key=_by_size)),
        only_in_a=tuple(only_first),
        only_in_b=tuple(only_second),
        other_inputs=tuple(other_inputs),
        lacking=tuple(lacking),
    )


def _parts(one: Row, other: Row, relative: float, absolute: float) -> tuple[str, ...]:
    """The differences between two rows of the same label."""

    def same(x: float | None, y: float | None) -> bool:
        if x is None or y is None:
            return x is y
        return math.isclose(x, y, rel_tol=relative, abs_tol=absolute)

    if one.state != other.state:
        return ("state",)
    ends = zip(one.interval or (None, None), other.interval or (None, None), strict=True)
    checks = {
        "value": same(one.value, other.value),
        "interval": all(same(x, y) for x, y in ends),
        "p": same(one.p, other.p),
        "words": one.words_key == other.words_key,
    }
    return tuple(part for part, is_same in checks.items() if not is_same)


def _change(one: Row, other: Row, parts: tuple[str, ...]) -> ChangedNumber:
    absolute = relative = None
    if one.value is not None and other.value is not None:
        absolute = other.value - one.value
        has_scale = abs(one.value) * _MOST > abs(absolute)
        relative = absolute / abs(one.value) if has_scale else None
    return ChangedNumber(
        **_named(one),
        parts=parts,
        a=one.value,
        b=other.value,
        absolute=absolute,
        relative=relative,
        state_a=one.state,
        state_b=other.state,
        why="; ".join(row.why for row in (one, other) if row.state != DONE and row.why),
    )


def _by_size(change: ChangedNumber) -> tuple[bool, float, float]:
    """The changes of state first, then the largest, relative to what there was."""
    relative = math.inf if change.relative is None else abs(change.relative)
    return "state" not in change.parts, -relative, -abs(change.absolute or 0.0)


def _lack(side: Literal["A", "B"], row: Row) -> LackingNumber:
    return LackingNumber(**_named(row), side=side, state=row.state, why=row.why)


def _named(row: Row) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(LabelledNumber)}
