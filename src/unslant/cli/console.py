"""The terminal: the one way out for text, which takes nothing from outside as a command.

Words, file names, titles and messages of servers may hold escape sequences. Whatever the library
that draws the tables is given, its own colours are the only sequences that reach the terminal.
"""

import codecs
import io
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.highlighter import ReprHighlighter
from rich.segment import Segment
from rich.text import Text

from unslant.core.visible import visible_lines

_LEGIBLE = "unslant.legible"
_PLAIN = {"█": "#", "│": "|", "–": "-", "—": "-", "−": "-", "→": "->", "…": "...", "×": "x"}
_PLAIN |= {"≤": "<=", "≥": ">=", "≠": "!=", "“": '"', "”": '"', "‘": "'", "’": "'", "·": "-"}
_PLAIN |= {"✓": "+", "✗": "x"}


_HIGHLIGHTED = 2_000


class ShortHighlighter(ReprHighlighter):
    """Colours numbers and paths in texts, unless they are long: rich takes quadratic time."""

    def highlight(self, text: Text) -> None:
        """Colour a text in place."""
        if len(text) <= _HIGHLIGHTED:
            super().highlight(text)


class SafeConsole(Console):
    """A console that writes out control characters and knows no markup."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlighter=ShortHighlighter())
        self._width = None  # COLUMNS counts when something is printed, not when this is imported

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The single exit for printed text; control segments are the library's own."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible_lines(segment.text), segment.style)

    def write(self, text: str) -> None:
        """Text as it is, without wrapping or colour, for other programs to read."""
        self.file.write(visible_lines(text))


def write_in_any_encoding() -> None:
    """Let no character stop the output where the terminal is not UTF-8."""
    codecs.register_error(_LEGIBLE, _legible)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_LEGIBLE)


def _legible(error: UnicodeError) -> tuple[str, int]:
    """A similar character for one that the encoding does not have, or else its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    shown = (_PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in lost)
    return "".join(shown), error.end
