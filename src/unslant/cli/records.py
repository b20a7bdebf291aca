"""A record from where a command was pointed to, and what is made of one that may be damaged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.files import Progress
from unslant.core.text_files import json_from
from unslant.reports.kinds import KINDS
from unslant.studies.study_record import study_record

Made = TypeVar("Made")

_ADVICE = "Name the folder of a study, or a .json file that unslant audit or probe has written."


def record_from(source: Path, progress: Progress | None = None) -> dict[str, Any]:
    """The record in a file, or that of the study in a folder; bad input is told in one sentence."""
    if source.is_dir():
        return study_record(source, progress=progress).record
    try:
        record = json_from(source.read_bytes())
    except FileNotFoundError as error:
        raise FileFormatError(f"{source} does not exist. {_ADVICE}") from error
    except OSError as error:
        raise FileFormatError(f"{source} cannot be read: {error.strerror}. {_ADVICE}") from error
    except ValueError as error:
        raise FileFormatError(f"{source} cannot be read as JSON: {error}. {_ADVICE}") from error
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise FileFormatError(f"{source} is not a record of Unslant. {_ADVICE}")
    if record["kind"] not in KINDS:
        raise FileFormatError(
            f'{source} is a record of the kind "{record["kind"]}", which this version of Unslant '
            f"cannot show. Known kinds: {', '.join(KINDS)}. Make the record anew."
        )
    return record


def made_of(source: Path, record: dict[str, Any], make: Callable[[dict[str, Any]], Made]) -> Made:
    """What ``make`` makes of the record of a file, which may lack what its kind should have."""
    from jinja2 import UndefinedError

    try:
        return make(record)
    except (
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
        RecursionError,
        UndefinedError,
    ) as error:
        if source.is_dir():
            raise
        raise DamagedFileError(
            f'{source} says that it is a record of the kind "{record["kind"]}", but lacks what '
            f"this needs ({error}). It may be cut or changed; write it again."
        ) from error
