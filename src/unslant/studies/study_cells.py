"""The finished cells of a study in brief, and every set of words that they used, once."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unslant.core.measurement import Interval, PValue, WordUse
from unslant.core.older_records.parts import id_of
from unslant.core.study_record import StudyCell
from unslant.studies.run.contents import FoundCell


@dataclass(kw_only=True)
class BriefCells:
    """Collects the finished cells without their points.

    A cell's ``words`` is the key of what it used: most cells of a measure used the same words, and
    a record that repeated them would be mostly that.
    """

    cells: list[StudyCell] = field(default_factory=list)
    word_sets: dict[str, tuple[WordUse, ...]] = field(default_factory=dict)

    @property
    def expressions(self) -> dict[str, str]:
        """The expression of each method that has a finished cell, by its label."""
        return {cell.method: cell.method_expression for cell in self.cells}

    def add(self, found: FoundCell) -> None:
        """Take in a cell, if it is done."""
        if found.result is None:
            return
        uses = found.result["measurement"]["words"]
        key = hashlib.sha256(json.dumps(uses, sort_keys=True).encode()).hexdigest()[:12]
        if key not in self.word_sets:
            self.word_sets[key] = tuple(WordUse.from_dict(use) for use in uses)
        self.cells.append(_brief(found, found.result, key))


def _brief(found: FoundCell, result: Mapping[str, Any], key: str) -> StudyCell:
    resource, method, measure, concept, seed = found.label
    record, inputs = result["measurement"], result["inputs"]
    counts = {
        kind: sum(len(use[kind]) for use in record["words"])
        for kind in ("used", "missing", "set_aside")
    }
    return StudyCell(
        resource=str(resource),
        method=str(method),
        measure=str(measure),
        concept=str(concept),
        seed=int(seed),
        id=found.id,
        metric=record["metric"],
        title=record["title"],
        value=record["value"],
        why_undefined=record["why_undefined"],
        better=record["better"],
        interval=Interval(**record["interval"]) if record["interval"] else None,
        p=PValue(**record["p"]) if record["p"] else None,
        # Earlier versions wrote phrases where there are ids now.
        details={id_of(name): value for name, value in record["details"].items()},
        parameters=record["parameters"],
        warnings=tuple(record["warnings"]),
        version=record["version"],
        **counts,
        words=key,
        method_expression=inputs["method"],
        resource_sha256=inputs["resource"]["sha256"],
        vectors_sha256=record["inputs"].get("vectors_sha256", ""),
        concept_sha256=inputs["concept"],
    )
