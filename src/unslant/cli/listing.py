"""Listings in which nothing that one has to type is cut or broken, at any width.

A table if every name fits its column and leaves room for text; otherwise each row as a block of
lines. Lines break at spaces only, and never inside a name, even if it is wider than the terminal.
"""

import textwrap
from collections.abc import Sequence

from rich.text import Text

from unslant.cli import shared
from unslant.core.exhibits import Column, Table
from unslant.core.visible import visible
from unslant.reports.table_terminal import Drawn

_BORDER = 3
_LEAST_TEXT = 22
"""With fewer characters for a column of text, a table is harder to read than blocks."""
_INDENT = "  "


def show_listing(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    typed: Sequence[int] = (0,),
    main: int | None = None,
    yellow: Sequence[int] = (),
) -> None:
    """Print rows; ``typed`` are the columns whose words one types.

    In blocks the first column is the heading, ``main`` is text without a label, and every other
    column has its label. ``yellow`` are the numbers of rows to point out.
    """
    cells = [[visible(cell) for cell in row] for row in rows]
    least = [_least(column, [row[column] for row in cells], typed) for column in range(len(head))]
    if sum(least) + _BORDER * len(head) + 2 <= shared.out.width:
        table = Table(
            id="listing",
            title="",
            columns=tuple(Column(label=label) for label in head),
            rows=tuple(map(tuple, rows)),
        )
        styles = {(row, place): "yellow" for row in yellow for place in range(len(head))}
        shared.out.print(Drawn(table, styles=styles, typed=typed))
    else:
        _blocks(head, cells, main, yellow)


def show_names(names: Sequence[str]) -> None:
    """Print names or short phrases, separated by commas; lines break between them only."""
    line = _INDENT
    for number, name in enumerate(names):
        part = f"{visible(name)}{',' if number + 1 < len(names) else ''} "
        if len(line) + len(part.rstrip()) > shared.out.width and line.strip():
            shared.say(line.rstrip())
            line = _INDENT
        line += part
    shared.say(line.rstrip())


def _least(column: int, cells: Sequence[str], typed: Sequence[int]) -> int:
    """The characters that a column needs: those of its longest word, or some of its text."""
    if column in typed:
        return max((len(word) for cell in cells for word in cell.split()), default=1)
    return min(_LEAST_TEXT, max(map(len, cells), default=1))


def _blocks(
    head: Sequence[str],
    cells: Sequence[Sequence[str]],
    main: int | None,
    yellow: Sequence[int],
) -> None:
    for number, row in enumerate(cells):
        heading = Text(row[0], style="bold yellow" if number in yellow else "bold")
        shared.out.print(heading, soft_wrap=True)
        order = [] if main is None else [main]
        order += [column for column in range(1, len(head)) if column != main]
        for column in order:
            if row[column]:
                label = "" if column == main else f"{head[column]}: "
                _wrapped(f"{label}{row[column]}")


def _wrapped(text: str) -> None:
    lines = textwrap.wrap(
        text,
        shared.out.width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        shared.say(line)
