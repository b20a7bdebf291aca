"""Plain values with a hash of themselves, so that a changed bit is detected on reading."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_SEAL = "seal"


def with_seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """The values, and the hash of them as JSON.

    >>> sealed = with_seal({"words": 3})
    >>> without_seal(sealed)
    {'words': 3}
    >>> without_seal({**sealed, "words": 4})
    Traceback (most recent call last):
    ValueError: its content does not match its checksum
    """
    return {**content, _SEAL: _hash(content)}


def without_seal(content: Any) -> dict[str, Any]:
    """The values, if their hash is right."""
    if not isinstance(content, dict):
        raise TypeError("it is not a table")
    values = {key: value for key, value in content.items() if key != _SEAL}
    if content.get(_SEAL) != _hash(values):
        raise ValueError("its content does not match its checksum")
    return values


def _hash(content: Mapping[str, Any]) -> str:
    # Sorted keys and Python's shortest float representation make the text, and so the hash, the
    # same after a round trip through a file.
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
