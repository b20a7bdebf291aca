"""The file of a finished cell: its result, its times, and a seal over both.

Three lines: the result as canonical JSON, which holds nothing that differs from run to run; when
and where it was computed; and the SHA-256 of the two.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from unslant.core.errors import DamagedFileError


def canonical(value: Any) -> str:
    """Canonical JSON: equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def packed(result: str, times: Mapping[str, Any]) -> bytes:
    """The bytes of a cell's file; the result is canonical JSON already."""
    content = f"{result}\n{canonical(times)}\n".encode()
    return content + hashlib.sha256(content).hexdigest().encode() + b"\n"


def unpacked(content: bytes, cell: str, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result and the times in a cell's file; any change since writing is refused."""
    try:
        first, second, seal, rest = content.split(b"\n")
        # The seal is compared before any JSON is parsed, so a damaged file never reaches the
        # parser.
        is_whole = hashlib.sha256(first + b"\n" + second + b"\n").hexdigest().encode() == seal
        result, times = (json.loads(first), json.loads(second)) if is_whole else (None, {})
    except (ValueError, RecursionError):
        rest, result, times = b"", None, {}
    if rest or not isinstance(result, dict) or result.get("id") != cell:
        raise DamagedFileError(
            f"{where} is not the file that was written for cell {cell}. Run the study again: the "
            f"file is set aside and the cell computed again."
        )
    return result, dict(times)
