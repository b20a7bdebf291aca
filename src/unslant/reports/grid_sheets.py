"""The answers of a study laid out for reading: rounded, and the best set off."""

from collections.abc import Sequence
from typing import Any

from unslant.core.better import better_side
from unslant.core.measurement import PValue
from unslant.core.study_record import (
    CorrelatedPair,
    Correlations,
    RankedMeasure,
    Ranking,
    StudyTable,
    TableCell,
    TableColumn,
)
from unslant.core.wording import number, p_value, probability
from unslant.reports.as_printed import best_as_printed, digits_of
from unslant.reports.sheets import Item, Sheet

STATES = {"undefined": "NA", "failed": "failed", "missing": "not done", "unasked": "–"}
_KINDS = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ"}


def of_table(record: StudyTable, digits: int | None) -> list[Sheet]:
    """Measures across; the best of a column stands out, and no cell is left blank.

    ``digits`` is for every column; without it each has its own, as in the heat map.
    """
    columns = [record.column(place) for place in range(len(record.columns))]
    shown = [digits_of(cells) if digits is None else digits for cells in columns]
    best = [
        best_as_printed(cells, column.better, own)
        for cells, column, own in zip(columns, record.columns, shown, strict=True)
    ]
    lines = [
        [
            *map(_text, row.key),
            *(_cell(cell, shown[at], best[at][order]) for at, cell in enumerate(row.cells)),
        ]
        for order, row in enumerate(record.rows)
    ]
    head = [*record.by, *map(_headed, record.columns)]
    return [Sheet(title="", head=head, lines=lines, names=len(record.by))]


def _headed(column: TableColumn | RankedMeasure) -> str:
    """A measure and an arrow for which way is better: ``DB ↓``, ``WEAT →0``."""
    better = better_side(column.better)
    return f"{column.label} {better.sign}" if better else column.label


def legend(columns: Sequence[TableColumn | RankedMeasure]) -> list[str]:
    """What the arrows of these columns mean, in one sentence."""
    ways = {way.text: way for column in columns if (way := better_side(column.better))}
    said = [f"{ways[text].sign} {text}" for text in sorted(ways)]
    return [f"Better is: {', '.join(said)}."] if said else []


def _cell(cell: TableCell, digits: int, is_best: bool) -> Item:
    if cell.state != "done":
        return Item(STATES[cell.state])
    text = number(cell.value, digits)
    if cell.sd is not None:
        text += f" ± {number(cell.sd, digits)}"
    if cell.of > 1:
        text += f" ({cell.n})" if cell.n == cell.of else f" ({cell.n} of {cell.of})"
    return Item(text + (" ≠" if cell.other_words else ""), is_best)


def of_correlation(record: Correlations, digits: int) -> list[Sheet]:
    """A matrix of each coefficient, unless one measure was asked for, and every pair."""
    found = []
    for kind, name in _KINDS.items():
        if record.against is None:
            found.append(_matrix(record, kind, name, digits))
        found.append(_pairs(record, kind, name, digits))
    return found


def _matrix(record: Correlations, kind: str, name: str, digits: int) -> Sheet:
    labels = record.measures
    lines = [
        [_text(label), *(Item(number(value, digits)) for value in values)]
        for label, values in zip(labels, record.matrices[kind], strict=True)
    ]
    return Sheet(title=name, head=["", *labels], lines=lines)


def _pairs(record: Correlations, kind: str, name: str, digits: int) -> Sheet:
    against = record.against
    pairs = sorted(record.of_kind(kind), key=lambda pair: -abs(pair.value or 0.0))
    lines = []
    for pair in pairs:
        ends = [number(end, digits) for end in (pair.low, pair.high)]
        lines.append(
            [
                Item(pair.first if against else f"{pair.first} – {pair.second}"),
                _text(pair.n),
                Item(number(pair.value, digits)),
                Item("NA" if pair.low is None else " to ".join(ends)),
                Item(p_value(_p_of(pair))),
                Item("NA" if pair.corrected is None else probability(pair.corrected)),
            ]
        )
    title = f"{name} with {against}" if against else f"{name} of every pair"
    head = [
        "measure" if against else "measures",
        "rows",
        name[-1],
        f"{100 * record.level:.0f} % interval",
        "p",
        "adjusted p",
    ]
    return Sheet(title=title, head=head, lines=lines)


def _p_of(pair: CorrelatedPair) -> PValue | None:
    if pair.p is None:
        return None
    return PValue(value=pair.p, how=pair.how, alternative="two-sided", outcomes=pair.outcomes)


def of_ranking(record: Ranking, digits: int) -> list[Sheet]:
    """The rows from the best front on; those that nothing dominates stand out."""
    labels = [_headed(item) for item in record.measures]
    lines = []
    for item in record.order:
        numbers = zip(item.values, item.other_words, strict=True)
        lines.append(
            [
                Item(item.name, item.front == 1),
                _text(item.front),
                *(
                    Item(number(value, digits) + (" ≠" if unlike else ""))
                    for value, unlike in numbers
                ),
                Item(number(item.mean_rank, 1)),
                _text(len(item.dominates)),
                Item(_listed(item.dominated_by)),
            ]
        )
    head = ["row", "front", *labels, "mean rank", "dominates", "dominated by"]
    return [Sheet(title="Pareto fronts", head=head, lines=lines, ends_in_text=True)]


def _listed(names: Sequence[str], most: int = 2) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + more  # names have commas, as in "hard, then misp"


def _text(value: Any) -> Item:
    return Item(str(value))
