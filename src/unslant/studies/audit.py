"""An audit: everything that is known about one concept in one set of vectors."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unslant.concepts import AssociationTest, Concept, WordPolicy
from unslant.core.errors import (
    MissingWordsError,
    OutputError,
    UndefinedMeasureError,
    UnslantError,
)
from unslant.core.files import write_text
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.metrics import METRICS, measure
from unslant.reports.page import page
from unslant.subspaces import stability
from unslant.vectors import WordVectors

Step = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Audit:
    """The record of an audit: plain values that make the table, the page and the JSON file."""

    record: dict[str, Any]

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What was measured."""
        return tuple(Measurement.from_dict(plain) for plain in self.record["measurements"])

    def save(self, path: str | Path) -> Path:
        """Write the report as a self-contained page (.html) or as a record (.json)."""
        path = Path(path)
        if path.suffix not in (".html", ".json"):
            raise OutputError(f"{path}: a report is written as .html or .json.")
        is_page = path.suffix == ".html"
        write_text(path, page(self.record) if is_page else json.dumps(self.record, indent=1) + "\n")
        return path


def audit(
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy | None = None,
    step: Step | None = None,
) -> Audit:
    """Run WEAT on every test of a concept and direct bias on its neutral words.

    Words that the vectors lack are dropped and listed, unless the policy says otherwise: an
    audit has many tests, and one absent name should not hide the others.
    """
    policy = policy or WordPolicy(missing="drop")
    planned: list[tuple[str, Concept | AssociationTest]] = [
        ("weat", test) for test in concept.tests.values()
    ]
    if concept.direction:
        planned += [(f"direct-bias(neutral={name})", concept) for name in concept.neutral]
    measured: list[Measurement] = []
    left_out: list[dict[str, str]] = []
    for number, (expression, subject) in enumerate(planned):
        if step:
            step(f"Measuring {subject.name}", number, len(planned))
        try:
            measured.append(measure(expression, vectors, subject, policy))
        except (MissingWordsError, UndefinedMeasureError) as error:
            if policy.missing == "fail":
                raise
            left_out.append({"what": f"{expression} {subject}", "why": str(error)})
    return Audit(
        {
            "kind": "unslant audit 1",
            "vectors": {
                "name": vectors.name,
                "words": len(vectors),
                "dim": vectors.dim,
                "content_sha256": vectors.content_hash,
                "zero_vectors": vectors.count_zero_vectors(),
                "origin": vectors.origin,
            },
            "concept": {
                "name": concept.name,
                "title": concept.title,
                "about": concept.about,
                "groups": list(concept.groups),
                "caveats": list(concept.caveats),
                "direction": concept.direction,
                "words_sha256": concept.content_hash,
            },
            "policy": {"missing": policy.missing, "case": policy.case},
            "measurements": [item.to_dict() for item in measured],
            "stability": _stability(vectors, concept, policy, left_out),
            "left_out": left_out,
            "metrics": {
                entry.name: {"summary": entry.summary, "cites": entry.cites, **entry.facts}
                for entry in METRICS
                if entry.name in {item.metric for item in measured}
            },
            "provenance": provenance(),
        }
    )


def _stability(
    vectors: WordVectors, concept: Concept, policy: WordPolicy, left_out: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """How the direction in use compares with each alternative that these vectors allow."""
    rows = []
    for expression in concept.alternatives:
        try:
            [row] = stability(vectors, concept, others=(expression,), policy=policy)
            rows.append({**asdict(row), "ratios": list(row.ratios)})
        except UnslantError as error:
            left_out.append({"what": f"stability against {expression}", "why": str(error)})
    return rows
