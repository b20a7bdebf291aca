"""Text made safe to show: invisible characters made visible, formulas made inert."""

import logging
import re

_VISIBLE = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


_VISIBLE |= {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}


_VISIBLE |= {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)}


_VISIBLE |= {code: f"\\u{code:04x}" for code in (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)}


_VISIBLE_LINES = {code: shown for code, shown in _VISIBLE.items() if chr(code) not in "\n\t"}


def visible(text: str) -> str:
    """The text with control and direction-changing characters written out.

    Unpaired surrogates, which UTF-8 cannot encode, are written out too.

    >>> visible("a\\u202eb")
    'a\\\\u202eb'
    """
    return text.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    """The same for multi-line text; line breaks and tabs are kept."""
    return text.translate(_VISIBLE_LINES)


def legible(piece: bytes | str, most: int = 40) -> str:
    """Text from a file, made safe to print in a message or on a terminal."""
    cut = piece[:most]
    text = cut if isinstance(cut, str) else cut.decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class VisibleFormatter(logging.Formatter):
    """Writes log lines in which outside text cannot control the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback if there is one."""
        return visible_lines(super().format(record))


def safe_cell(text: str) -> str:
    """The text as a cell that no spreadsheet interprets as a formula.

    >>> safe_cell("=1+1"), safe_cell("nurse")
    ("'=1+1", 'nurse')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


# Text of others in Markdown: none of it becomes markup, and nothing is escaped without need.

_MARKUP = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~]|$)         # would escape what follows, which may be a sign of ours
    | [`*~$\[]                      # code, emphasis, strike-through, formulas and links
    | (?<![^\W_])_ | _(?![^\W_])    # emphasis; within snake_case it is none
    | <(?=[A-Za-z/!?])              # tags and addresses
    | &(?=\#?\w+;)                  # character references
    | :(?=//) | (?<=www)\.          # bare addresses become links without any brackets
    | (?<!\S)\#(?=\#*$)             # the end of a heading
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"^(?=[#>+-])|^(\d{1,9})(?=[.)](?:\s|$))")


def escaped(text: str) -> str:
    """Text within a line of ours.

    >>> escaped("leace@layer:-1 (test_6, p < .05) *not* <b>")
    'leace@layer:-1 (test_6, p < .05) \\\\*not\\\\* \\\\<b>'
    """
    return _MARKUP.sub(r"\\\g<0>", _one_line(text))


def cell(text: str) -> str:
    """Text in a cell of a table, whose only further sign is the bar.

    >>> cell("hard | misp")
    'hard \\\\| misp'
    """
    return escaped(text).replace("|", r"\|")


def paragraph(text: str) -> str:
    """Text that begins a line, where it could begin a list, a quotation or a heading.

    >>> paragraph("1. item"), paragraph("# title"), paragraph("1.5 times")
    ('1\\\\. item', '\\\\# title', '1.5 times')
    """
    return _BLOCK.sub(r"\1\\", escaped(text))


def code(text: str) -> str:
    """Text as a span of code, for names and commands; backticks in it do not end it.

    >>> code("hard | misp"), code("a`b")
    ('`hard | misp`', '``a`b``')
    """
    shown = _one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if not shown or "`" in shown[0] + shown[-1] else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())
