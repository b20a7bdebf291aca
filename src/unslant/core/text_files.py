"""Small files written by people: read completely, or refused with a reason for the message."""

import json
import math
import stat
import tomllib
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

_MOST_DIGITS = 18
"""Integers with this many digits fit into 64 bits; no quantity here needs more."""


def small_text(path: Path, largest: int) -> str:
    """The text of a file of at most ``largest`` bytes; ValueError says why it cannot be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ValueError("it is a folder")
        if not stat.S_ISREG(mode):  # a pipe would block, and a device may have no end
            raise ValueError("it is a pipe or a device, not a file")
        with path.open("rb") as stream:
            content = stream.read(largest + 1)
    except OSError as error:
        raise ValueError(error.strerror) from error
    if len(content) > largest:
        raise ValueError(f"it is larger than {largest >> 20} MB")
    return decoded(content)


def decoded(content: bytes) -> str:
    """The text of the bytes of a file; ValueError says where it is none."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start:,})") from error


def toml_from(text: str) -> dict[str, Any]:
    """The table in a TOML text; ValueError says what is wrong with it."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # Python's own limit
        raise ValueError("a number in it has too many digits") from error
    except RecursionError as error:
        raise ValueError("arrays or tables in it are nested too deeply") from error


def json_from(text: str | bytes, *, most_digits: int = _MOST_DIGITS) -> Any:
    """The value in a JSON text; ValueError says what is wrong with it.

    Numbers that no measurement has (infinity, integers beyond 64 bits) are refused too.
    """
    sized = partial(_sized, most_digits)
    try:
        return json.loads(text, parse_constant=_not_a_number, parse_float=_finite, parse_int=sized)
    except RecursionError as error:
        raise ValueError("arrays or objects in it are nested too deeply") from error


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"it contains the number {text[:20]}, which is too large")
    return value


def _sized(most_digits: int, text: str) -> int:
    if len(text) > most_digits + 1:
        raise ValueError(f"it contains an integer of {len(text.lstrip('-')):,} digits")
    return int(text)
