"""Rows laid out as a grid: what is compared down the side, measures across, seeds averaged."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from unslant.core.better import Better
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.study_record import Key, TableCell, TableColumn
from unslant.studies.answers.rows import DONE, FAILED, MISSING, UNDEFINED, Row

SIDES = ("resource", "method", "concept", "seed")
USUAL = ("resource", "method")
_MARKS = (".", " / ", " · ")


def usual_words(rows: Sequence[Row]) -> dict[tuple[str, str], str]:
    """The words that most numbers of a measure of a concept used; the first of equally many."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        if row.state == DONE:
            counts.setdefault((row.measure, row.concept), Counter())[row.words_key] += 1
    return {place: counter.most_common(1)[0][0] for place, counter in counts.items()}


def cell_of(rows: Sequence[Row], usual: Mapping[tuple[str, str], str]) -> TableCell:
    """The table cell for the rows of one place."""
    if not rows:
        return TableCell()
    done = [row for row in rows if row.value is not None]
    facts: dict[str, Any] = {
        "of": len(rows),
        "n": len(done),
        "ids": tuple(r.id for r in rows if r.id),
    }
    unlike = any(row.words_key != usual[row.measure, row.concept] for row in done)
    lacking = [row for state in (FAILED, MISSING, UNDEFINED) for row in rows if row.state == state]
    why = lacking[0].why if lacking else ""
    if not done:
        return TableCell(state=lacking[0].state, why=why, **facts)
    values = [row.value for row in done if row.value is not None]
    # Equal values must have an equal mean, or rounding would break ties between rows.
    mean = min(max(math.fsum(values) / len(values), min(values)), max(values))
    squares = math.fsum((value - mean) ** 2 for value in values)
    only = done[0] if len(rows) == 1 else None
    return TableCell(
        state=DONE,
        value=mean,
        sd=math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None,
        interval=only.interval if only else None,
        p=only.p if only else None,
        other_words=unlike,
        why=why,
        **facts,
    )


@dataclass(frozen=True, kw_only=True)
class Pivot:
    """The grid: ``cells[row][column]``, and the rows that it was made of."""

    by: tuple[str, ...]
    keys: tuple[Key, ...]
    columns: tuple[TableColumn, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The rows by name, such as ``glove.hard``, no two alike."""
        for mark in _MARKS:
            names = [mark.join(str(part) for part in key if part != "") for key in self.keys]
            if len(set(names)) == len(names):
                return tuple(names)
        return tuple(f"{name} [{number}]" for number, name in enumerate(names, 1))

    def only(self, places: Sequence[int]) -> "Pivot":
        """The grid with some of its columns, and the rows of their measures."""
        columns = tuple(self.columns[place] for place in places)
        measures = {column.measure for column in columns}
        return replace(
            self,
            columns=columns,
            cells=tuple(tuple(line[place] for place in places) for line in self.cells),
            rows=tuple(row for row in self.rows if row.measure in measures),
        )

    def places(self, name: str) -> list[int]:
        """The index of the column with this label, or of all columns of that measure.

        In a study of several concepts "DB" means "DB (gender)" and "DB (religion)".
        """
        labels = [column.label for column in self.columns]
        if name in labels:
            return [labels.index(name)]
        columns = [place for place, column in enumerate(self.columns) if column.measure == name]
        if not columns:
            raise UnknownNameError("measure", name, labels)
        return columns


def pivot(
    rows: Sequence[Row],
    *,
    by: Sequence[str] = USUAL,
    better: Mapping[str, str] | None = None,
) -> Pivot:
    """Lay out rows with the sides ``by`` and a column for each measure.

    Only seeds are averaged. Where the sides leave a resource, method or concept open, each has
    columns of its own. ``better`` replaces the direction of measures by label.
    """
    _check(rows, by)
    rest = [side for side in SIDES[:3] if side not in by]
    spread = [side for side in rest if len({getattr(row, side) for row in rows}) > 1]
    groups: dict[tuple[Key, Key], list[Row]] = {}
    for row in rows:
        place = _key(row, by), (row.measure, *_key(row, spread))
        groups.setdefault(place, []).append(row)
    keys = tuple(dict.fromkeys(key for key, _ in groups))
    heads = tuple(dict.fromkeys(head for _, head in groups))
    usual = usual_words(rows)
    columns = tuple(_column(head, groups, better or {}) for head in heads)
    unknown = (better or {}).keys() - {name for c in columns for name in (c.label, c.measure)}
    if unknown:
        raise UnknownNameError("measure", min(unknown), {column.label for column in columns})
    cells = tuple(
        tuple(cell_of(groups.get((key, head), []), usual) for head in heads) for key in keys
    )
    return Pivot(by=tuple(by), keys=keys, columns=columns, cells=cells, rows=tuple(rows))


def _check(rows: Sequence[Row], by: Sequence[str]) -> None:
    if not rows:
        raise UnslantError("The study has no numbers yet: nothing is planned and nothing is done.")
    for side in by:
        if side not in SIDES:
            raise UnknownNameError("side of a table", side, SIDES)
    if not by or len(set(by)) < len(by):
        raise UnslantError(
            f"The sides of a table are one or more of {', '.join(SIDES)}, once each."
        )


def _key(row: Row, sides: Sequence[str]) -> Key:
    return tuple(getattr(row, side) for side in sides)


def _column(
    head: Key, groups: Mapping[tuple[Key, Key], list[Row]], better: Mapping[str, str]
) -> TableColumn:
    measure, open_sides = str(head[0]), ", ".join(map(str, head[1:]))
    label = f"{measure} ({open_sides})" if open_sides else measure
    directions = {row.better for (_, its), rows in groups.items() if its == head for row in rows}
    directions -= {""}
    chosen = better.get(label, better.get(measure))
    way = directions.pop() if len(directions) == 1 else ""
    return TableColumn(
        label=label, measure=measure, better=way if chosen is None else direction(chosen)
    )


def direction(text: str) -> str:
    """The better direction as a user writes it: a number means "close to it".

    >>> direction("0.5"), direction("smaller")
    ('closer to 0.5', 'smaller')
    """
    way = text.strip()
    with suppress(ValueError):
        float(way)
        way = f"closer to {way}"
    return Better.of(way).text
