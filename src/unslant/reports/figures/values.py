"""Value formatting for figures: fewer digits, shorter texts, rows of data."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from unslant.core import wording
from unslant.core.measurement import Interval
from unslant.core.score import better_side
from unslant.core.study_record import StudyPart, TableCell, TableColumn
from unslant.core.visible import visible
from unslant.core.wording import percent

_LONGEST = 26


def rounded(value: float) -> float:
    """A number with the five digits that a picture can show, so that pages stay small."""
    return float(f"{value:.5g}")


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text of the user cut to what a label has room for; hovering shows all of it."""
    whole = visible(text)
    return whole if len(whole) <= longest else f"{whole[: longest - 1]}…"


def slug(text: str) -> str:
    """A text as a part of a figure's name: small letters, digits and hyphens.

    >>> slug("Neutral words/2")
    'neutral-words-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "list"


def intervals_text(intervals: Iterable[Interval | None]) -> str:
    """The meaning of a figure's lines, as the end of a caption's sentence."""
    found = next((interval for interval in intervals if interval), None)
    return f"Lines are {percent(found.level)} confidence intervals." if found else ""


def tooltips(titles: Mapping[str, str]) -> list[Any]:
    """Tooltips: fields of the data by their titles."""
    import altair as alt

    return [alt.Tooltip(f"{field}:N", title=title) for field, title in titles.items()]


def of_rows(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart with these rows as its data, to be given marks and encodings.

    They are a tuple, which Altair does not copy at every step, and are not validated against its
    schema here, because both take longer than all the rest; the tests validate whole figures.
    """
    import altair as alt
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        data = alt.InlineData(values=tuple(rows))
    return alt.Chart(data)


# Shared parts of study figures: which direction is better, the originals, texts.

FULL = 0.7
"""The most opaque that a cell is filled, so that the ink of both themes can be read on it."""


def marked(column: TableColumn) -> str:
    """The label of a column after a sign for its better side.

    >>> marked(TableColumn(label="MIDB", measure="MIDB", better="closer to 0"))
    '→0 MIDB'
    """
    better = better_side(column.better)
    return f"{better.sign} {column.label}" if better else column.label


def originals(study: StudyPart) -> set[str]:
    """The labels of the methods that leave the vectors as they are."""
    found = {label for label, text in study.plan.expressions.items() if not text}
    return found | {cell.method for cell in study.cells if not cell.method_expression}


def span(cell: TableCell, digits: int = 3) -> str:
    """The interval of a cell as text, or the standard deviation of its seeds, or nothing."""
    if cell.interval:
        return wording.span(*cell.interval, digits)
    return f"± {wording.number(cell.sd, digits)}, {cell.n} seeds" if cell.sd is not None else "–"
