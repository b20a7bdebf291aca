"""A small table in the terminal, in as many parts as its width asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich import box
from rich.console import (
    Console,
    ConsoleOptions,
    Group,
    JustifyMethod,
    RenderableType,
    RenderResult,
)
from rich.table import Table
from rich.text import Text

from unslant.core.visible import visible
from unslant.reports.sheets import Item, Sheet

_GAP = 3  # between two columns
_NAME_WIDTH = 17  # what a name asks for at least; it may take more lines


def terminal(
    sheets: Sequence[Sheet], sentences: Sequence[str], notes: Sequence[str]
) -> RenderableType:
    """The sheets for a terminal: sentences in front, notes behind."""
    parts: list[RenderableType] = [Text(visible(sentence)) for sentence in sentences]
    parts += [_Shown(sheet) for sheet in sheets]
    parts += [Text(visible(note), style="yellow") for note in notes]
    return Group(*parts)


@dataclass(frozen=True)
class _Shown:
    """A sheet in as many tables as the width asks for: a number is never broken over lines."""

    sheet: Sheet

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        names, widths = self.sheet.names, self._widths()
        fixed = sum(widths[:names])
        block: list[int] = []
        used = fixed
        title = self.sheet.title
        for place in range(names, len(widths)):
            if block and used + widths[place] > options.max_width - 2:
                yield self._table(block, title)
                block, used, title = [], fixed, ""
            block.append(place)
            used += widths[place]
        yield self._table(block, title)

    def _widths(self) -> list[int]:
        sheet = self.sheet
        longest = [max(map(len, head.split()), default=1) for head in sheet.head]
        for line in sheet.lines:
            longest = [max(w, len(item.text)) for w, item in zip(longest, line, strict=True)]
        return [
            (min(width, _NAME_WIDTH) if sheet.is_text(place) else width) + _GAP
            for place, width in enumerate(longest)
        ]

    def _table(self, block: Sequence[int], title: str) -> Table:
        sheet, widths = self.sheet, self._widths()
        table = Table(
            title=Text(visible(title), style="bold") if title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
        )
        places = [*range(sheet.names), *block]
        for place in places:
            head, is_text = visible(sheet.head[place]), sheet.is_text(place)
            if not is_text:
                head = "\n".join(wrap(head, widths[place] - _GAP, break_long_words=False))
            justify: JustifyMethod = "left" if is_text else "right"
            table.add_column(Text(head), justify=justify, overflow="fold", no_wrap=not is_text)
        for line in sheet.lines:
            table.add_row(*(_styled(line[place]) for place in places))
        return table


def _styled(item: Item) -> Text:
    return Text(visible(item.text), style="bold green" if item.is_best else "")
