"""A record from JSON, of this version or an earlier one; bad input gives a one-sentence error."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.older_records import OLDER
from unslant.core.plain import PlainError, from_plain, to_plain
from unslant.core.record import FORMAT, Record
from unslant.core.text_files import json_from
from unslant.core.verdicts import judged
from unslant.core.visible import legible

LARGEST_FILE = 256 << 20
KINDS = (FORMAT, *OLDER)
"""The kinds of records that can be read."""

_SHOWN = 300
_ADVICE = "Name the folder of a study, or a .json file that Unslant wrote."


def record_from(plain: Any, where: str = "This") -> Record:
    """The record that plain JSON values write down; ``where`` begins the sentence of an error.

    One that was written without verdicts is judged now.
    """
    kind = plain.get("format", plain.get("kind")) if isinstance(plain, Mapping) else None
    if not isinstance(kind, str):
        raise FileFormatError(f"{where} is not a record of Unslant. {_ADVICE}")
    if kind not in KINDS:
        raise FileFormatError(
            f'{where} is a record of the kind "{kind}", which this version of Unslant cannot show. '
            f"Known kinds: {', '.join(KINDS)}. Create the record again."
        )
    try:
        return judged(from_plain(Record, plain) if kind == FORMAT else _older(kind, plain))
    except PlainError as error:
        raise DamagedFileError(
            f'{where} is a damaged record of the kind "{kind}": {error} It may have been cut '
            f"off or changed; create it again."
        ) from error


def _older(kind: str, plain: Mapping[str, Any]) -> Record:
    try:
        record = OLDER[kind](plain)
        # Written and read once more, because their readers take values as they find them.
        return from_plain(Record, to_plain(record))
    except KeyError as error:
        raise PlainError(f'the key "{error.args[0]}" is missing.') from error
    except PlainError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise PlainError(f"{legible(str(error), _SHOWN)}.") from error


def read_record(path: Path) -> Record:
    """The record in a file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FileFormatError(
                f"{path} is larger than {LARGEST_FILE >> 20} MB, the most that is read."
            )
        plain = json_from(path.read_bytes())
    except FileNotFoundError as error:
        raise FileFormatError(f"{path} does not exist. {_ADVICE}") from error
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}. {_ADVICE}") from error
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read as JSON: {error}. {_ADVICE}") from error
    return record_from(plain, str(path))
