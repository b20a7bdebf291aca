"""Text made safe to show: invisible characters made visible, formulas made inert."""

import logging

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
