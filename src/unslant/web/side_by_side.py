"""Up to six spaces side by side: one record from an audit of each against the first.

A change is called better or worse only if the interval of the change says so, as everywhere; both
spaces of a pair are measured on the same resamples.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.finding import Conclusion
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.core.record import Record, Result, Role, Subject
from unslant.core.study_record import (
    Front,
    PlanFacts,
    StudyCell,
    StudyPart,
    StudyStatus,
    StudyTable,
)
from unslant.core.verdicts import judged
from unslant.core.wording import counted, number
from unslant.measures.registry import meaning
from unslant.reports.results import brief_name
from unslant.studies.answers import Row, table
from unslant.studies.answers.pivot import words_key
from unslant.studies.study_record import front_of

_AS_IT_IS = "as it is"


@dataclass(frozen=True, kw_only=True)
class ComparedSide:
    """A space by its name and its method, and what an audit of it found."""

    vectors: str
    chain: str
    record: Record

    @property
    def method(self) -> str:
        """The method, in words if there is none."""
        return self.chain or _AS_IT_IS


def side_by_side(sides: Sequence[ComparedSide], subject: Subject) -> Record:
    """The record of all sides, with a row for each and a column for each measure."""
    rows = [
        _row(side, result.now, subject.name) for side in sides for result in side.record.results
    ]
    cells = [_cell(row, result) for row, result in zip(rows, _every(sides), strict=True)]
    glossary = {name: meaning(name) for name in dict.fromkeys(cell.metric for cell in cells)}
    roles = {cell.measure: glossary[cell.metric].role for cell in cells}
    tabled = table(rows)
    return Record(
        about="study",
        subject=subject,
        left_out=sides[0].record.left_out,
        glossary=glossary,
        study=StudyPart(
            plan=_plan(rows, {side.method: side.chain for side in sides}),
            status=StudyStatus(planned=len(rows), done=len(rows)),
            table=tabled,
            front=_front(rows, tabled, roles),
            cells=tuple(cells),
            word_sets={_words(found): found.words for found in _every(sides)},
        ),
        conclusion=Conclusion(level="not judged", sentence=sentences(sides)[0]),
        provenance=provenance(),
    )


def names_of(sides: Sequence[ComparedSide]) -> list[str]:
    """Column names: the method alone if all columns have the same vectors."""
    if len({side.vectors for side in sides}) == 1:
        return [side.method for side in sides]
    return [f"{side.vectors}: {side.method}" for side in sides]


def sentences(sides: Sequence[ComparedSide]) -> list[str]:
    """Each method's clear changes, the one with most improvements first."""
    first, *others = zip(sides, names_of(sides), strict=True)
    counts = sorted(((_counts(side), name) for side, name in others), key=lambda it: _net(it[0]))
    changes = "; ".join(f"{name}: {up} better, {down} worse" for (up, down), name in counts)
    most = counted(len(first[0].record.results), "measure")
    return [
        f"Of {most}, compared with the first column ({first[1]}) — {changes}.",
        "Better and worse are counted only where the 95 % interval of the change says so.",
    ]


def _net(counts: tuple[int, int]) -> int:
    up, down = counts
    return down - up


def verdict_table(sides: Sequence[ComparedSide]) -> dict[str, Any]:
    """The verdict on each space, in the words of its own audit."""
    judged_sides = [
        (name, judged(side.record)) for name, side in zip(names_of(sides), sides, strict=True)
    ]
    rows = [
        [name, record.conclusion.sentence if record.conclusion else ""]
        for name, record in judged_sides
    ]
    return {
        "title": "What each shows",
        "columns": [{"name": name, "is_number": False} for name in ("space", "verdict")],
        "rows": rows,
        "values": rows,
    }


def compared_table(sides: Sequence[ComparedSide]) -> dict[str, Any]:
    """Measures down, spaces across; clear changes are marked in words."""
    by_side = [{brief_name(item.now): item for item in side.record.results} for side in sides]
    names = list(dict.fromkeys(name for found in by_side for name in found))
    return {
        "title": "Side by side",
        "columns": [
            {"name": "measure", "is_number": False},
            *({"name": name, "is_number": True} for name in names_of(sides)),
            {"name": "better is", "is_number": False},
        ],
        "rows": [[name, *_texts(by_side, name), _better(by_side, name)] for name in names],
        "values": [[name, *_values(by_side, name), _better(by_side, name)] for name in names],
    }


def _texts(by_side: Sequence[Mapping[str, Result]], name: str) -> Iterator[str]:
    for place, found in enumerate(by_side):
        item = found.get(name)
        if item is None:
            yield ""
        elif item.now.value is None:
            yield "NA"
        elif place and item.not_comparable:
            yield f"{number(item.now.value)} ≠"
        else:
            verdict = item.change.verdict if place and item.change else ""
            word = f" {verdict}" if verdict in ("better", "worse") else ""
            yield f"{number(item.now.value)}{word}"


def _values(by_side: Sequence[Mapping[str, Result]], name: str) -> Iterator[float | None]:
    for found in by_side:
        item = found.get(name)
        yield item.now.value if item else None


def _better(by_side: Sequence[Mapping[str, Result]], name: str) -> str:
    return next(found[name].now.better for found in by_side if name in found)


def _counts(side: ComparedSide) -> tuple[int, int]:
    verdicts = [item.change.verdict for item in side.record.results if item.change]
    return verdicts.count("better"), verdicts.count("worse")


def _every(sides: Sequence[ComparedSide]) -> Iterator[Measurement]:
    return (result.now for side in sides for result in side.record.results)


def _words(found: Measurement) -> str:
    """The key of the words that went into a number: most numbers share theirs."""
    plain = json.dumps([asdict(use) for use in found.words], sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def _row(side: ComparedSide, found: Measurement, concept: str) -> Row:
    return Row(
        resource=side.vectors,
        method=side.method,
        measure=brief_name(found),
        concept=concept,
        seed=0,
        state="undefined" if found.value is None else "done",
        value=found.value,
        better=found.better,
        interval=(found.interval.low, found.interval.high) if found.interval else None,
        p=found.p.value if found.p else None,
        why=found.why_undefined,
        words_key=words_key(found.to_dict()),
    )


def _cell(row: Row, found: Measurement) -> StudyCell:
    def count(kind: str) -> int:
        return sum(len(getattr(use, kind)) for use in found.words)

    return StudyCell(
        **{name: getattr(row, name) for name in ("resource", "method", "measure", "concept")},
        seed=row.seed,
        id="",
        metric=found.metric,
        title=found.title,
        value=found.value,
        why_undefined=found.why_undefined,
        better=found.better,
        interval=found.interval,
        p=found.p,
        details=found.details,
        parameters=found.parameters,
        warnings=found.warnings,
        version=found.version,
        used=count("used"),
        missing=count("missing"),
        set_aside=count("set_aside"),
        words=_words(found),
        method_expression="" if row.method == _AS_IT_IS else row.method,
        vectors_sha256=found.inputs.get("vectors_sha256", ""),
    )


def _plan(rows: Sequence[Row], expressions: Mapping[str, str]) -> PlanFacts:
    def labels(side: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(getattr(row, side) for row in rows))

    return PlanFacts(
        resources=labels("resource"),
        methods=labels("method"),
        measures=labels("measure"),
        concepts=labels("concept"),
        seeds=labels("seed"),
        expressions=expressions,
    )


def _front(rows: Sequence[Row], tabled: StudyTable, roles: Mapping[str, Role]) -> Front | None:
    try:
        return front_of(rows, tabled, roles)
    except UnslantError:  # fewer than two measures have a better side
        return None
