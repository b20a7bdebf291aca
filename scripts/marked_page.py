"""Put what a script has made between two marks of a page, and keep the rows it did not make."""

import sys
from collections.abc import Callable
from pathlib import Path


def between(page: Path, text: str, mark: str, made: str) -> str:
    """The text of the page with ``made`` in the place of what stood between the marks."""
    head, _, tail = _parts(page, text, mark)
    return f"{head}\n{made}\n{tail}"


def inside(page: Path, text: str, mark: str) -> str:
    """What stands between the marks."""
    return _parts(page, text, mark)[1].strip("\n")


def with_standing_rows(made: str, standing: str, name_of: Callable[[str], str]) -> str:
    """The lines made, and in their old place those that stood there under other names.

    Several lines may share a name. The order is that of the lines that stood there, and what is
    new comes last.
    """
    new, old = (_by_name(text, name_of) for text in (made, standing))
    names = dict.fromkeys((*old, *new))
    return "\n".join(line for name in names for line in new.get(name, old.get(name, [])))


def _by_name(text: str, name_of: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.strip("\n").split("\n"):
        found.setdefault(name_of(line), []).append(line)
    return found


def _parts(page: Path, text: str, mark: str) -> tuple[str, str, str]:
    begin, end = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
    head, found, rest = text.partition(begin)
    inner, closed, tail = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{page} lacks the marks {begin} and {end}.")
    return f"{head}{begin}", inner, f"{end}{tail}"
