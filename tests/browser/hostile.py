"""Records whose every text of a user's is one of many texts that we choose."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from tests.reports.hostile import is_ours
from unslant.core.visible import visible


def with_texts(record: Any, texts: Sequence[str]) -> Any:
    """The record with a chosen text for each text that is not a word of ours.

    Equal texts stay equal, so that what compared with each other still does.
    """
    given = cycle(texts)
    new: dict[str, str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: part if is_kept(key, part) else walk(part) for key, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        if isinstance(value, str):
            return new[value] if value in new else new.setdefault(value, next(given))
        return value

    found = walk(record)
    return found | {"about": record["about"]} if "format" in record else found


def is_kept(key: str, value: Any) -> bool:
    return key == "of" or is_ours(key, value)


def harmless(text: str, number: int) -> str:
    """A text as long as another one is on the page, of letters and digits alone."""
    return f"w{number:03}".ljust(len(visible(text)), "x")
