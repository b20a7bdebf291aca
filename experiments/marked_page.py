"""Put what a script has made between two marks of a page."""

import sys
from pathlib import Path


def between(page: Path, text: str, mark: str, made: str) -> str:
    """The text of the page with ``made`` in the place of what stood between the marks."""
    begin, end = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{page} lacks the marks {begin} and {end}.")
    return f"{head}{begin}\n{made}\n{end}{tail}"
