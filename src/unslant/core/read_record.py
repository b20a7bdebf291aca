"""Read a record from JSON; bad input gives a one-sentence error."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.plain import PlainError, from_plain
from unslant.core.record import FORMAT, Record
from unslant.core.text_files import json_from
from unslant.core.verdicts import judged

LARGEST_FILE = 256 << 20
_ADVICE = "Name the folder of a study, or a .json file that Unslant wrote."


def record_from(plain: Any, where: str = "This") -> Record:
    """The record in plain JSON values, with its verdicts; ``where`` begins an error message."""
    kind = plain.get("format") if isinstance(plain, Mapping) else None
    if not isinstance(kind, str):
        raise FileFormatError(f"{where} is not a record of Unslant. {_ADVICE}")
    if kind != FORMAT:
        raise FileFormatError(
            f'{where} is of the format "{kind}", which this version of Unslant cannot read. '
            f'It reads "{FORMAT}". Create the record again.'
        )
    try:
        return judged(from_plain(Record, plain))
    except PlainError as error:
        raise DamagedFileError(
            f"{where} is a damaged record: {error} It may have been cut off or changed; create it "
            f"again."
        ) from error


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
