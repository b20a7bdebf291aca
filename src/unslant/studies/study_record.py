"""A study as one record, from which its reports, figures and pages are made.

A run that ends writes it to ``record.json`` in the study's folder, so that looking at the study
needs neither its plan nor its cells. Whatever else is written to the folder removes that file.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from unslant.core.errors import DamagedFileError, UnknownNameError, UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import Interval, PValue, WordUse
from unslant.core.plain import from_plain, to_plain
from unslant.core.provenance import provenance
from unslant.core.read_record import read_record
from unslant.core.record import LeftOut, Meaning, Record, Role, Subject
from unslant.core.score import better_side
from unslant.core.study_record import (
    Correlations,
    Front,
    PlanFacts,
    StudyCell,
    StudyFailure,
    StudyPart,
    StudyTable,
)
from unslant.core.verdicts import judged
from unslant.core.visible import legible
from unslant.measures.registry import meaning
from unslant.studies.answers import Row, correlate, rank, table
from unslant.studies.answers.pivot import named, planned_rows, row_of
from unslant.studies.run.contents import FoundCell, found_cells, status_of
from unslant.studies.run.plan_folder import RECORD
from unslant.studies.run.store import Store

# The two measures that a study's front compares, and the rows best by both.

QUALITY: Role = "quality"
PROBE: Role = "probe"


def front_of(
    rows: Sequence[Row],
    table: StudyTable,
    roles: Mapping[str, Role],
    chosen: Sequence[str] = (),
) -> Front:
    """The ranking by a bias and a quality, or by two biases where no quality was measured.

    Of the measures whose better side is known, in the plan's order: the first bias against the
    first quality; without quality, the first measure of the vectors against the first of a
    model's answers, or else the first two. ``roles`` are those of the measures by their labels,
    and ``chosen`` names two columns in place of all this.
    """
    if chosen and len(chosen) != 2:
        raise UnslantError(f"A front takes two measures, not {len(chosen)}.")
    first, second = chosen or _two(table, roles)
    ranking = rank(rows, [first, second])
    of = {column.label: roles.get(column.measure) for column in table.columns}
    sides: Literal["bias and quality", "two biases"] = "two biases"
    if QUALITY in (of[first], of[second]):
        sides = "bias and quality"
    return Front(**vars(ranking), x=first, y=second, sides=sides)


def _two(table: StudyTable, roles: Mapping[str, Role]) -> tuple[str, str]:
    usable = [
        (column.label, roles.get(column.measure))
        for place, column in enumerate(table.columns)
        if better_side(column.better)
        and any(cell.value is not None for cell in table.column(place))
    ]
    quality = [label for label, role in usable if role == QUALITY]
    biases = [label for label, role in usable if role != QUALITY]
    probes = [label for label, role in usable if role == PROBE]
    plain = [label for label in biases if label not in probes]
    if quality and biases:
        return biases[0], quality[0]
    if plain and probes:
        return plain[0], probes[0]
    if len(biases) > 1:
        return biases[0], biases[1]
    raise UnslantError(
        "A front takes two measures whose better side is known, such as a bias and a quality, and "
        f"the study has {len(usable) if len(usable) < 2 else 'qualities only'}."
    )


Made = TypeVar("Made")

_SHOWN = 300
_AS_MEASURED = ("metric", "title", "value", "why_undefined", "better", "parameters", "version")


def study_record(
    folder: str | Path,
    *,
    front: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Record:
    """The record of the study in a folder, whether the study is finished or not.

    It is the one that the last run wrote, unless the run was stopped or the ``front`` (the two
    columns to set against each other) or the ``seed`` of the correlations' resamples is named:
    then it is made from the cells.
    """
    store = Store(folder)
    if store.has_record and not front and not seed:
        return read_record(store.folder / RECORD)
    return record_of_cells(store, front=front, seed=seed, progress=progress)


def write_study_record(store: Store, progress: Progress | None = None) -> Path:
    """Write down what a study that has just ended found."""
    plain = record_of_cells(store, progress=progress).to_dict()
    return store.save_record(json.dumps(plain, separators=(",", ":"), allow_nan=False) + "\n")


def record_of_cells(
    store: Store,
    *,
    front: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Record:
    """The record made from the cells, each of which is read once."""
    left_out: list[LeftOut] = []
    rows, measurements, brief = [], [], BriefCells()
    for cell in found_cells(store, progress):
        rows.append(row_of(cell))
        brief.add(cell)
        measurements.append(replace(cell, result=None))
    rows = rows or planned_rows(store)
    status = status_of(store, measurements)
    glossary = _glossary(brief.cells)
    roles = {cell.measure: glossary[cell.metric].role for cell in brief.cells}
    tabled = _or_why("table", lambda: table(rows), left_out)
    ranking = None
    if front:  # an error in measures that the user named must be reported
        ranking = front_of(rows, table(rows), roles, front)
    elif tabled is not None:
        ranking = _or_why("front", lambda: front_of(rows, tabled, roles), left_out)
    correlations = _or_why("correlations", lambda: _correlations(rows, seed, progress), left_out)
    facts, text = store.facts(), store.plan_text()
    if text is None:
        why = "plan.toml is missing from the study's folder, or was changed"
        left_out.append(LeftOut(what="the text of the plan", why=why))
    record = Record(
        about="study",
        subject=Subject(
            kind="plan",
            name=str(facts["name"]),
            title=str(facts["name"]),
            about=str(facts.get("about", "")),
            sha256=str(facts["sha256"]),
            definition=store.definitions() or None,
        ),
        left_out=tuple(left_out),
        glossary=glossary,
        study=StudyPart(
            plan=_plan(rows, text, {**brief.expressions, **facts.get("methods", {})}),
            status=status.counts,
            table=tabled,
            correlations=correlations,
            front=ranking,
            cells=tuple(brief.cells),
            word_sets=brief.word_sets,
            failures=tuple(
                StudyFailure(label=item.label, id=item.id, message=item.message)
                for item in status.failures
            ),
        ),
        provenance=provenance(),
    )
    return judged(record)


def _glossary(cells: Sequence[StudyCell]) -> dict[str, Meaning]:
    """The glossary of the metrics in the cells; plug-ins that are not installed have no entry."""
    glossary = {}
    for cell in cells:
        if cell.metric not in glossary:
            try:
                glossary[cell.metric] = meaning(cell.metric)
            except UnknownNameError:
                glossary[cell.metric] = Meaning(summary="", role="concept", better=cell.better)
    return glossary


def _or_why(what: str, make: Callable[[], Made], left_out: list[LeftOut]) -> Made | None:
    try:
        return make()
    except UnslantError as error:
        left_out.append(LeftOut(what=what, why=str(error)))
        return None


def _correlations(rows: Sequence[Row], seed: int, progress: Progress | None) -> Correlations:
    correlations = correlate(rows, seed=seed, progress=progress)
    if all(pair.value is None for pair in correlations.pairs):
        pair = correlations.pairs[0]
        raise UnslantError(
            f"No two measures can be correlated; {pair.first} and {pair.second}: "
            f"{pair.why_undefined}."
        )
    return correlations


def _plan(rows: Sequence[Row], text: str | None, expressions: dict[str, str]) -> PlanFacts:
    def labels(side: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(getattr(row, side) for row in rows))

    methods = labels("method")
    return PlanFacts(
        text=text,
        resources=labels("resource"),
        methods=methods,
        measures=labels("measure"),
        concepts=labels("concept"),
        seeds=labels("seed"),
        expressions={name: expressions[name] for name in methods if name in expressions},
    )


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
        try:
            uses = found.result["measurement"]["words"]
            key = hashlib.sha256(json.dumps(uses, sort_keys=True).encode()).hexdigest()[:12]
            if key not in self.word_sets:
                self.word_sets[key] = tuple(WordUse.from_dict(use) for use in uses)
            # Written and read once more, because a seal does not say that the types are right.
            cell = from_plain(StudyCell, to_plain(_brief(found, found.result, key)))
        except (LookupError, TypeError, ValueError, AttributeError, UnslantError) as error:
            why = legible(str(error).removesuffix("."), _SHOWN)
            raise DamagedFileError(
                f"Cell {found.id} of the study is well sealed, but not a result ({why}). Remove "
                f"its file from the folder cells, and run the study again."
            ) from error
        self.cells.append(cell)


def _brief(found: FoundCell, result: Mapping[str, Any], key: str) -> StudyCell:
    record, inputs = result["measurement"], result["inputs"]
    counts: dict[str, Any] = {
        kind: sum(len(use[kind]) for use in record["words"])
        for kind in ("used", "missing", "set_aside")
    }
    return StudyCell(
        **named(found.label),
        **{name: record[name] for name in _AS_MEASURED},
        id=found.id,
        interval=Interval(**record["interval"]) if record["interval"] else None,
        p=PValue(**record["p"]) if record["p"] else None,
        details=record["details"],
        warnings=tuple(record["warnings"]),
        **counts,
        words=key,
        method_expression=inputs["method"],
        resource_sha256=inputs["resource"]["sha256"],
        vectors_sha256=record["inputs"].get("vectors_sha256", ""),
        concept_sha256=inputs["concept"],
    )
