"""Rows laid out as a grid: what is compared down the side, measures across, seeds averaged."""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import Progress
from unslant.core.score import Better
from unslant.core.study_record import CellState, Key, LabelledNumber, TableCell, TableColumn
from unslant.core.visible import legible
from unslant.studies.run.contents import FoundCell, found_cells
from unslant.studies.run.store import Store

# The numbers of a study, one in each row, and those still missing.

DONE: CellState = "done"
UNDEFINED: CellState = "undefined"
FAILED: CellState = "failed"
MISSING: CellState = "missing"


_SHOWN = 300


@dataclass(frozen=True, kw_only=True)
class Row(LabelledNumber):
    """One cell of a study: a number, or what became of it.

    ``state`` is ``done``, ``undefined`` (measured, but without a value), ``failed`` or
    ``missing`` (planned, not yet done); ``why`` says why there is no value. Two rows of the same
    measure with different ``words_key`` used different words, so they do not compare.
    """

    state: CellState = DONE
    value: float | None = None
    better: str = ""
    interval: tuple[float, float] | None = None
    p: float | None = None
    id: str = ""
    why: str = ""
    words_key: str = ""


def stored_rows(store: Store, progress: Progress | None = None) -> list[Row]:
    """Every planned cell of the study in a folder, in the plan's order.

    A file whose seal does not hold counts as not done, as it does for a run.
    """
    return [row_of(cell) for cell in found_cells(store, progress)] or planned_rows(store)


def planned_rows(store: Store) -> list[Row]:
    """The rows of a plan before its first run."""
    return [Row(**named(cell.label), state=MISSING) for cell in store.plan().cells]


def row_of(found: FoundCell) -> Row:
    """The row of a cell, whether or not the folder has its result."""
    label = named(found.label)
    if found.result is None:
        why = found.failure.message if found.failure else ""
        return Row(**label, state=FAILED if found.failure else MISSING, why=why)
    try:
        record = found.result["measurement"]
        interval, p = record.get("interval"), record.get("p")
        return Row(
            **label,
            state=UNDEFINED if record["value"] is None else DONE,
            value=None if record["value"] is None else float(record["value"]),
            better=record.get("better", ""),
            interval=(float(interval["low"]), float(interval["high"])) if interval else None,
            p=float(p["value"]) if p else None,
            id=found.id,
            why=record.get("why_undefined", ""),
            words_key=words_key(record),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = legible(repr(error), _SHOWN)
        raise UnslantError(f"Cell {found.id} is not a result of a study ({why}).") from error


def words_key(record: Mapping[str, Any]) -> str:
    """The same for two records of one measure exactly where both used the same words.

    It leaves out the expression, which the measure's label replaces and which names the seed.
    """
    parameters = record.get("parameters", {})
    used = {use["set"]: sorted(set(use["used"])) for use in record.get("words", ())}
    what = [record.get("metric"), parameters.get("subject"), parameters.get("case"), used]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def named(label: Sequence[Any]) -> dict[str, Any]:
    """The parts of a cell's label by name."""
    resource, method, measure, concept, seed = label
    return {
        "resource": str(resource),
        "method": str(method),
        "measure": str(measure),
        "concept": str(concept),
        "seed": int(seed),
    }


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


# Notes to read before the numbers of a study.


def notes(grid: Pivot) -> tuple[str, ...]:
    """Which numbers are missing, undefined, not comparable or means; one plain sentence each."""
    states = Counter(row.state for row in grid.rows)
    cells = [cell for line in grid.cells for cell in line]
    sentences = []
    if states[FAILED] or states[MISSING]:
        is_open = "is not done yet" if states[MISSING] == 1 else "are not done yet"
        lacking = [(states[MISSING], is_open), (states[FAILED], "failed")]
        counts = " and ".join(f"{count:,} {what}" for count, what in lacking if count)
        sentences.append(f"Not the whole study: of {len(grid.rows):,} numbers {counts}.")
    if states[UNDEFINED]:
        why = next(row.why for row in grid.rows if row.state == UNDEFINED)
        sentences.append(f"NA: {_counted(states[UNDEFINED])} no value, the first because: {why}")
    marked = sum(cell.other_words for cell in cells)
    if marked:
        sentences.append(
            f"≠: {marked:,} of {sum(cell.n > 0 for cell in cells):,} cells used other words than "
            f"the rest of their column, so they do not compare with it."
        )
    if any(cell.of > 1 for cell in cells):
        sentences.append(
            "Several seeds are averaged: mean ± standard deviation, and how many seeds in brackets."
        )
    return tuple(sentences)


def _counted(count: int) -> str:
    return "1 number has" if count == 1 else f"{count:,} numbers have"
