"""What a study of one thing returns: its record, and the measurements in it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import write_text
from unslant.core.measurement import Measurement


@dataclass(frozen=True)
class Recorded:
    """Plain values that make the tables and the JSON file."""

    record: dict[str, Any]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What was measured."""
        return tuple(Measurement.from_dict(plain) for plain in self.record["measurements"])

    def save(self, path: str | Path) -> Path:
        """Write the record (.json)."""
        path = Path(path)
        if path.suffix != ".json":
            raise OutputError(f"{path}: this is written as .json.")
        write_text(path, json.dumps(self.record, indent=1) + "\n")
        return path
