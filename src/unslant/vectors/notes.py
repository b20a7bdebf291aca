"""Small facts stored in the cache, each file sealed so that a changed bit is detected."""

import hashlib
import json
from pathlib import Path
from typing import Any

from unslant.core.files import atomic_write


def write_note(path: Path, facts: dict[str, Any]) -> None:
    """Store facts, completely or not at all.

    They are not flushed to disk: a file damaged by a power failure does not match its seal and is
    ignored.
    """
    text = json.dumps(facts, sort_keys=True)
    with atomic_write(path, durable=False) as stream:
        stream.write(f"{_seal(text)}\n{text}".encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """The facts as written, or None if they are missing or damaged."""
    try:
        if path.is_symlink():
            return None
        seal, _, text = path.read_bytes().decode().partition("\n")
        facts = json.loads(text) if seal == _seal(text) else None
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) else None


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
