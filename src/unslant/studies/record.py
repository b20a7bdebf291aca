"""What a study of one thing returns: its record, and the measurements in it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import Progress, write_text
from unslant.core.measurement import Measurement

LONGEST_REPR = 200
_NAMED = ("vectors", "concept", "set", "plan")


@dataclass(frozen=True, repr=False)
class Recorded:
    """Plain values that make the tables, the page and the JSON file."""

    record: dict[str, Any]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What was measured."""
        return tuple(Measurement.from_dict(plain) for plain in self.record["measurements"])

    def __repr__(self) -> str:
        """One line, with the first number; the record itself can be very long."""
        record = self.record
        found = record.get("measurements") or record.get("cells") or []
        names = [
            *(part["name"] for key in _NAMED if isinstance(part := record.get(key), dict)),
            *(model["model"] for model in record.get("models", ())[:1]),
        ]
        first = next((item for item in found if item["value"] is not None), None)
        head = f"; {first['title']}: {first['value']:.4g}" if first else ""
        noun = "measurement" if len(found) == 1 else "measurements"
        line = f"{type(self).__name__} {', '.join(names)}: {len(found):,} {noun}{head}"
        shown = line if len(line) <= LONGEST_REPR else f"{line[:LONGEST_REPR]}…"
        return f"<{''.join(sign if sign.isprintable() else '?' for sign in shown)}>"

    def save(self, path: str | Path, *, progress: Progress | None = None) -> Path:
        """Write the report as a self-contained page (.html) or as a record (.json)."""
        path = Path(path)
        if path.suffix == ".html":
            from unslant.reports.page import page

            write_text(path, page(self.record, progress))
        elif path.suffix == ".json":
            write_text(path, json.dumps(self.record, indent=1) + "\n")
        else:
            raise OutputError(f"{path}: a report is written as .html or .json.")
        return path

    def _repr_html_(self) -> str:
        """What notebooks show: the answer, the first figures and the main numbers."""
        from unslant.reports.html.notebook import notebook_html

        return notebook_html(self.record)
