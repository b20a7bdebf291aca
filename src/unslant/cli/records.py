"""A record from where a command was pointed to."""

from pathlib import Path

from unslant.core.files import Progress
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.studies.study_record import study_record


def record_from(source: Path, progress: Progress | None = None) -> Record:
    """The record in a file, or that of the study in a folder."""
    if source.is_dir():
        return study_record(source, progress=progress)
    return read_record(source)
