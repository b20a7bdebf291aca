"""Tables in the terminal: a number is never cut or broken, whatever the width."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from unslant.core.exhibits import Table
from unslant.core.visible import visible

StyledFact = tuple[str, str, str]
"""A name, what is said about it, and the style of that."""

_BREAKS = {" (": 130, " ±": 110, " to ": 92}
"""Where a stacked number continues on the next line, in terminals narrower than this."""
_BEST = "bold green"
_GAP = 3  # between two columns
_EDGES = 2
_SHORTEST = 8  # headings of numbers wrap at no less
_WORD = 15  # longer words of a text may be broken


@dataclass(frozen=True)
class Drawn:
    """A table in as many parts as the width asks for, each with the names of the rows.

    ``is_stacked`` puts what belongs to a number, such as its interval, below it if there is little
    room. ``styles`` are those of cells, by row and column, beside the best. Words in the columns
    ``typed`` are never broken, however long.
    """

    table: Table
    is_stacked: bool = False
    styles: Mapping[tuple[int, int], str] = field(default_factory=dict)
    typed: Sequence[int] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        signs = [sign for sign, least in _BREAKS.items() if self.is_stacked and width < least]
        cells = [
            [
                visible(text) if column.is_text else _broken(visible(text), signs)
                for text, column in zip(row, self.table.columns, strict=True)
            ]
            for row in self.table.texts()
        ]
        widths = [
            self._width(place, [row[place] for row in cells])
            for place in range(len(self.table.columns))
        ]
        when = ", before" if self.table.when == "before" else ""
        title = f"{self.table.title}{when}"
        for part in self._parts(widths, width - _EDGES):
            yield self._part(part, cells, widths, title)
            title = ""

    def _width(self, place: int, cells: Sequence[str]) -> int:
        """The least characters of a column: its longest word, or its longest line of numbers."""
        column = self.table.columns[place]
        if column.is_text:
            texts = [visible(column.label), *cells]
            longest = _longest(word for text in texts for word in text.split())
            return longest if place in self.typed else min(longest, _WORD)
        numbers = _longest(line for cell in cells for line in cell.split("\n"))
        return max(numbers, _longest(_heading(column.label, numbers)))

    def _parts(self, widths: Sequence[int], room: int) -> Iterator[list[int]]:
        """The columns of each part: those that name rows, and as many others as fit."""
        names = list(range(self.table.names))
        fixed = used = sum(widths[place] + _GAP for place in names)
        part: list[int] = []
        for place in range(len(names), len(widths)):
            if part and used + widths[place] + _GAP > room:
                yield [*names, *part]
                part, used = [], fixed
            part.append(place)
            used += widths[place] + _GAP
        yield [*names, *part]

    def _part(
        self, part: Sequence[int], cells: list[list[str]], widths: Sequence[int], title: str
    ) -> RichTable:
        drawn = RichTable(
            title=Text(visible(title), style="bold") if title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
        )
        for place in part:
            column, width = self.table.columns[place], widths[place]
            if column.is_text:
                drawn.add_column(Text(visible(column.label)), min_width=width, overflow="fold")
            else:
                head = Text("\n".join(_heading(column.label, width)))
                drawn.add_column(head, justify="right", no_wrap=True, min_width=width)
        for number, row in enumerate(cells):
            drawn.add_row(*(Text(row[place], self._style(number, place)) for place in part))
        return drawn

    def _style(self, row: int, place: int) -> str:
        return _BEST if (row, place) in self.table.best else self.styles.get((row, place), "")


def fact_table(title: str, facts: Iterable[StyledFact]) -> RenderableType:
    """Names with what is said about each, one below the other."""
    table = RichTable(
        title=Text(visible(title), style="bold") if title else None,
        title_justify="left",
        show_header=False,
        box=box.SIMPLE,
    )
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, text, style in facts:
        table.add_row(Text(visible(name)), Text(visible(text), style=style))
    return table


def _heading(label: str, width: int) -> list[str]:
    return wrap(visible(label), max(width, _SHORTEST), break_long_words=False) or [""]


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=1)


def _broken(text: str, signs: Sequence[str]) -> str:
    """A number with what belongs to it on the next line."""
    for sign in signs:
        text = text.replace(sign, f"\n{sign.lstrip()}")
    return text
