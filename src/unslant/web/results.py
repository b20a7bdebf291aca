"""What jobs leave behind: a record with what the page shows of it, or a file."""

import json
from dataclasses import dataclass
from pathlib import Path

from unslant.core.record import Record
from unslant.web.shown import shown


@dataclass(frozen=True, eq=False)
class Result:
    """A record and the JSON of what the page shows of it."""

    record: Record
    shown: bytes


@dataclass(frozen=True, eq=False)
class Written:
    """A file that was made for downloading, and the name to save it under."""

    path: Path
    name: str

    def is_there(self) -> bool:
        """Whether the file has not been removed to make room."""
        return self.path.exists()


def result_of(record: Record) -> Result:
    """A record with what the page shows of it, drawn."""
    return Result(record, json.dumps(shown(record), allow_nan=False).encode())
