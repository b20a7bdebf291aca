"""Text that shows what is in it."""

import logging

_VISIBLE = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_VISIBLE |= {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_VISIBLE |= {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)}
_VISIBLE |= {code: f"\\u{code:04x}" for code in (*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)}
_VISIBLE_LINES = {code: shown for code, shown in _VISIBLE.items() if chr(code) not in "\n\t"}


def visible(text: str) -> str:
    """The text with control and direction-changing characters written out.

    Half characters, which no file of UTF-8 can hold, are written out too.

    >>> visible("a\\u202eb")
    'a\\\\u202eb'
    """
    return text.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    """The same for a text of several lines, whose ends and tabs stay."""
    return text.translate(_VISIBLE_LINES)


def legible(piece: bytes | str, most: int = 40) -> str:
    """What a file says, as a message may print it: nothing of it reaches the terminal raw."""
    cut = piece[:most]
    text = cut if isinstance(cut, str) else cut.decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class VisibleFormatter(logging.Formatter):
    """Writes log lines in which text from outside cannot steer the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and the traceback where there is one."""
        return visible_lines(super().format(record))
