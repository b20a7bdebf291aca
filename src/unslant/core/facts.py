"""Nested tables as the flat facts of a record."""

from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.record import Fact


def flat(table: Mapping[str, Any], before: str = "") -> dict[str, Fact]:
    """Every value under the keys that lead to it, joined by hyphens; lists are counted from 1.

    >>> flat({"settings": {"seed": 0}, "files": [{"name": "a"}], "kept": ["x", "y"]})
    {'settings-seed': 0, 'files-1-name': 'a', 'kept': ('x', 'y')}
    """
    found: dict[str, Fact] = {}
    for key, value in table.items():
        name = before + str(key).replace("_", "-").replace(" ", "-")
        if isinstance(value, Mapping):
            found |= flat(value, f"{name}-")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            if all(isinstance(item, str) for item in value):
                found[name] = tuple(value)
            else:
                found |= flat({str(n): item for n, item in enumerate(value, 1)}, f"{name}-")
        else:
            found[name] = value
    return found
