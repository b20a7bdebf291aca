"""The result of a run: its record, and the measurements in it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.extras import frame
from unslant.core.files import Progress, write_text
from unslant.core.measurement import Measurement
from unslant.core.record import Fact, Record, Resource, Result
from unslant.core.verdicts import judged
from unslant.studies.checks import path_from
from unslant.vectors import WordVectors

LONGEST_REPR = 200


def resource_of(vectors: WordVectors, **more: Fact) -> Resource:
    """The identity of vectors in a record, with additional facts."""
    return Resource(
        name=vectors.name,
        kind="vectors",
        sha256=vectors.content_hash,
        facts={"words": len(vectors), "dim": vectors.dim, **more},
    )


@dataclass(frozen=True, repr=False)
class Recorded:
    """A record that makes the tables, the page and the JSON file; it is judged from the start."""

    record: Record

    def __post_init__(self) -> None:
        object.__setattr__(self, "record", judged(self.record))

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The measurements."""
        return tuple(result.now for result in self.record.results)

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return self.record.to_dict()

    def to_frame(self) -> Any:
        """The results as a pandas DataFrame, a row for each."""
        return frame([dict(_row(item)) for item in self.record.results], "The record has no result")

    def __repr__(self) -> str:
        """One line, with the first number; the record itself can be very long."""
        measurements = self.measurements
        resource = self.record.resource
        names = [*([resource.name] if resource else []), self.record.subject.name]
        first = next((item for item in measurements if item.value is not None), None)
        head = f"; {first.title}: {first.value:.4g}" if first else ""
        noun = "measurement" if len(measurements) == 1 else "measurements"
        line = f"{type(self).__name__} {', '.join(names)}: {len(measurements):,} {noun}{head}"
        shown = line if len(line) <= LONGEST_REPR else f"{line[:LONGEST_REPR]}…"
        return f"<{''.join(sign if sign.isprintable() else '?' for sign in shown)}>"

    def save(self, path: str | Path, *, progress: Progress | None = None) -> Path:
        """Write the report as a self-contained page (.html) or as a record (.json)."""
        path = path_from(path, "a report (.html) or record (.json)")
        if path.suffix == ".html":
            from unslant.reports.page import page

            write_text(path, page(self.record, progress))
        elif path.suffix == ".json":
            write_text(path, json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
        else:
            raise OutputError(f"{path}: a report is written as .html or .json.")
        return path

    def _repr_html_(self) -> str:
        """Notebook view: the answer, the first figures and the main numbers."""
        from unslant.reports.html.notebook import notebook_html

        return notebook_html(self.record)


def _row(result: Result) -> Iterator[tuple[str, Any]]:
    now, change = result.now, result.change
    yield "measure", now.metric
    yield "title", now.title
    yield "subject", now.parameters.get("subject")
    yield "value", now.value
    for end in ("low", "high"):
        yield end, getattr(now.interval, end, None)
    yield "p", now.p.value if now.p else None
    yield "p_holm", result.corrected.holm if result.corrected else None
    yield "before", result.before.value if result.before else None
    yield "change", change.difference if change else None
    for end in ("low", "high"):
        yield f"change_{end}", getattr(change.interval, end, None) if change else None
    yield "verdict", change.verdict if change else None
    yield "level", result.finding.level if result.finding else None
    yield "outcome", result.finding.outcome if result.finding else None
    yield "random", result.control.mean if result.control else None
    yield "better", now.better
