"""Every number of a study in its place: methods down, measures across."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.score import better_side
from unslant.core.study_record import StudyPart, StudyTable, TableCell
from unslant.core.wording import counted, number, probability
from unslant.reports.as_printed import best_as_printed, digits_of, gaps_as_printed
from unslant.reports.figures.cell_grid import CellGrid, ChartRow
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import QUIET, SECOND
from unslant.reports.figures.values import FULL, marked, originals, rounded, span

# How strongly each number of a study's table is coloured, and what the colour means.
#
# Where vectors were also measured as they are, colour is the change against that: of a measure,
# the largest change in the study has the full colour. Else it runs from the best to the worst
# value of the measure. Values are taken as they are printed, so that equal numbers have equal
# colours.

_SMALLEST = 1e-12


@dataclass(frozen=True)
class Heat:
    """A strength from −1 (worse) to 1 (better) for each cell, or None if undecidable.

    ``sides`` are the meanings of the colours; ``title`` and ``caption`` are those of a picture.
    """

    of: Sequence[Sequence[float | None]]
    sides: tuple[str, ...]
    title: str
    caption: str

    def side(self, strength: float) -> str:
        """The name of the colour."""
        return self.sides[0] if strength > 0 else self.sides[-1]


_CHANGE = (
    ("better than without a method", "worse than without a method"),
    "What each method does to each measure",
    "Colour shows how much closer to the better side, or further from it, a number is than that of "
    "the same vectors without a method; the largest change of each measure has the full colour, "
    "so colours of two measures do not compare.",
)
_VALUE = (
    ("worse than the best",),
    "Every measure",
    "Colour runs from none for the best number of a measure to full for the worst, so colours of "
    "two measures do not compare.",
)


def heats(study: StudyPart, table: StudyTable) -> Heat:
    """The strength of every cell of the table."""
    unchanged = originals(study)
    first = {
        row.key[0]: order
        for order, row in reversed(list(enumerate(table.rows)))
        if row.key[1] in unchanged
    }
    is_change = any(row.key[1] not in unchanged for row in table.rows) and bool(first)
    columns = []
    for place, column in enumerate(table.columns):
        cells = table.column(place)
        bad = gaps_as_printed(cells, column.better, digits_of(cells))
        if is_change:
            before = [bad[first[row.key[0]]] if row.key[0] in first else None for row in table.rows]
            columns.append(_scaled([_less(old, new) for old, new in zip(before, bad, strict=True)]))
        else:
            best = min((one for one in bad if one is not None), default=None)
            columns.append(_scaled([_less(best, one) for one in bad]))
    return Heat(list(zip(*columns, strict=True)), *(_CHANGE if is_change else _VALUE))


def _less(old: float | None, new: float | None) -> float | None:
    return None if old is None or new is None else old - new


def _scaled(changes: Sequence[float | None]) -> list[float | None]:
    largest = max((abs(change) for change in changes if change is not None), default=0.0)
    scale = largest if largest > _SMALLEST else 1.0
    return [None if change is None else change / scale for change in changes]


_MOST_MEASURES = 12
_TIPS = {
    "resource": "vectors",
    "method": "method",
    "measure": "measure",
    "value": "value",
    "span": "interval",
    "p": "p",
    "note": "note",
}
_DRAWN = (*_TIPS, "label", "name", "state", "text", "best", "side", "strength")
_GRID = CellGrid(
    x="label",
    y="name",
    tips=_TIPS,
    bold="best",
    outlines=[
        ("state", "undefined", QUIET, [1, 0]),
        ("state", "failed", SECOND, [1, 0]),
        ("state", "missing", QUIET, [2, 3]),
    ],
    width=560,
    narrowest=46,
    widest=66,
    row=25,
)
_STATES = {"undefined": "NA", "failed": "failed", "missing": "…", "unasked": ""}
_SAID = {
    "undefined": "measured, but it has no value",
    "failed": "failed",
    "missing": "not done yet",
    "unasked": "not planned",
}


def heatmap(study: StudyPart) -> tuple[Figure, ...]:
    """The table of a study as pictures of up to twelve measures each."""
    table = study.table
    if table is None:
        return ()
    places = range(len(table.columns))
    parts = [places[at : at + _MOST_MEASURES] for at in places[::_MOST_MEASURES]]
    heat = heats(study, table)
    return tuple(_figure(study, table, heat, part, number) for number, part in enumerate(parts, 1))


def _figure(
    study: StudyPart, table: StudyTable, heat: Heat, places: Sequence[int], part: int
) -> Figure:
    rows = list(_rows(table, heat, places))
    is_first = part == 1
    return Figure(
        name="heatmap" if is_first else f"heatmap-{part}",
        title=heat.title if is_first else f"{heat.title}, part {part}",
        caption=_caption(study, table, heat, rows),
        description=_description(rows, places),
        chart=_chart(rows, heat.sides),
    )


def _rows(table: StudyTable, heat: Heat, places: Sequence[int]) -> Iterator[ChartRow]:
    is_by_resource = len({row.key[1] for row in table.rows}) == 1
    for place in places:
        column = table.columns[place]
        cells, better = table.column(place), better_side(column.better)
        digits = digits_of(cells)
        best = best_as_printed(cells, column.better, digits)
        for order, (row, cell) in enumerate(zip(table.rows, cells, strict=True)):
            resource, method = map(str, row.key)
            value, strength = cell.value, heat.of[order][place]
            yield {
                "panel": "" if is_by_resource else resource,
                "name": resource if is_by_resource else method,
                "resource": resource,
                "method": method,
                "order": order,
                "column": place,
                "label": column.label,
                "measure": marked(column),
                "sign": better.sign if better else "",
                "state": cell.state,
                "text": _text(cell, digits),
                "best": best[order],
                "side": "" if strength is None else heat.side(strength),
                "strength": 0.0 if strength is None else rounded(FULL * abs(strength)),
                "value": number(value, digits) if value is not None else _SAID[cell.state],
                "span": span(cell, digits),
                "p": "–" if cell.p is None else probability(cell.p),
                "note": cell.why or ("used other words" if cell.other_words else "–"),
            }


def _chart(rows: Sequence[ChartRow], sides: Sequence[str]) -> Any:
    """A panel of cells for each resource; measures are named above the first only."""
    import altair as alt

    charts: dict[str, Any] = {}
    for panel in dict.fromkeys(row["panel"] for row in rows):
        own = [row for row in rows if row["panel"] == panel]
        charts[panel] = _GRID.chart(
            [{field: row[field] for field in _DRAWN} for row in own],
            list(dict.fromkeys(row["label"] for row in rows)),
            list(dict.fromkeys(row["name"] for row in own)),
            sides,
            has_legend=any(row["strength"] for row in rows),
            orient="top",
            labels=not charts,
            signs=None if charts else {row["label"]: row["sign"] for row in rows if row["sign"]},
        )
    if len(charts) == 1:
        return next(iter(charts.values()))
    titled = [
        chart.properties(title=alt.TitleParams(panel, fontSize=12, anchor="start", frame="group"))
        for panel, chart in charts.items()
    ]
    return alt.vconcat(*titled, spacing=12)


def _text(cell: TableCell, digits: int) -> str:
    if cell.value is None:
        return _STATES[cell.state]
    return number(cell.value, digits) + (" ≠" if cell.other_words else "")


def _caption(study: StudyPart, table: StudyTable, heat: Heat, rows: Sequence[ChartRow]) -> str:
    said = [
        *([heat.caption] if any(row["strength"] for row in rows) else []),
        "The arrow below each name shows which direction is better: ↓ smaller, ↑ larger, → close "
        "to the number. The best value of each column is bold.",
    ]
    states = {row["state"] for row in rows}
    keys = [f"“{_STATES[state]}” {_SAID[state]}" for state in _SAID if state in states]
    if keys := [key for key in keys if not key.startswith("“”")]:
        said.append(f"In place of a number: {'; '.join(keys)}.")
    if any("≠" in row["text"] for row in rows):
        said.append("≠ used other words than most of its column, so it does not compare.")
    if any(cell.of > 1 for line in table.rows for cell in line.cells):
        said.append("Several seeds are averaged.")
    status = study.status
    if not status.is_complete:
        said.append(f"The study is not complete: {status.done} of {status.planned} cells.")
    return " ".join(said)


def _description(rows: Sequence[ChartRow], places: Sequence[int]) -> str:
    done = [row for row in rows if row["state"] == "done"]
    lines = len({row["order"] for row in rows})
    is_one = len({row["panel"] for row in rows}) == 1
    said = [
        f"{counted(lines, 'row')} by {counted(len(places), 'measure')}; {len(done)} of "
        f"{len(rows)} places have a number."
    ]
    for place in places:
        best = [row for row in done if row["column"] == place and row["best"]]
        if best:
            named = ", ".join(_named(row, is_one) for row in best[:3])
            said.append(f"Best by {best[0]['label']}: {named} with {best[0]['value']}.")
    return " ".join(said)


def _named(row: ChartRow, is_one: bool) -> str:
    is_plain = is_one or not row["panel"]
    return str(row["name"]) if is_plain else f"{row['name']} ({row['resource']})"
