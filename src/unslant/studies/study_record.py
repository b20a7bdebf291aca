"""A whole study as one record: what reports, figures and pages of a study are made from."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.studies.answers import Row, correlate, stored_rows, table
from unslant.studies.glossary import glossary
from unslant.studies.plan.cells import Plan
from unslant.studies.record import Recorded
from unslant.studies.run.read_once import ReadOnce
from unslant.studies.run.status import Status, status
from unslant.studies.run.store import Store
from unslant.studies.study_cells import KEPT, brief_cells
from unslant.studies.study_front import front_of

Plain = dict[str, Any]

_OF_MEASUREMENT = (*KEPT, "seed")


class Study(Recorded):
    """The record of a study, done or not."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """The finished cells, without the points that pictures of single ones need."""
        sets = self.older["word_sets"]
        return tuple(
            Measurement.from_dict(
                {name: cell[name] for name in _OF_MEASUREMENT} | {"words": sets[cell["words"]]}
            )
            for cell in self.older["cells"]
        )


def study_record(
    folder: str | Path,
    *,
    front: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Study:
    """Everything that a study's folder says, whether the study is finished or not.

    ``front`` names the two columns to set against each other; ``seed`` is that of the
    correlations' resamples. The record is plain JSON:

    - ``kind``: ``unslant study 1``
    - ``plan``: ``name``, ``about``, ``text`` (the TOML; None where it cannot be read any more),
      ``sha256``; ``resources``, ``methods``, ``measures``, ``concepts``, ``seeds``: the labels in
      the plan's order; ``expressions``: of each method by its label, as far as the plan says
    - ``status``: ``planned``, ``done``, ``failed``, ``damaged``, ``missing``, ``is_complete``,
      ``says`` (a sentence)
    - ``table``: the answer of ``study table`` by resource and method (None where nothing is
      planned): ``columns`` of ``label``, ``measure``, ``better``; ``rows`` of ``key`` [resource,
      method] and ``cells``, one a column: ``state`` (done, undefined, failed, missing, unasked),
      ``value``, ``interval``, ``p``, ``n`` ``of`` seeds, ``sd``, ``other_words``, ``best``,
      ``why``, ``ids``; ``notes``
    - ``correlations``: the answer of ``study correlate`` (None where no pair has a value):
      ``measures``, ``pairs`` (``kind``, ``first``, ``second``, ``n``, ``value``, ``low``, ``high``,
      ``p``, ``corrected``, ``why_undefined``), ``matrices`` by kind, ``sentences``, ``notes``
    - ``front``: the answer of ``study rank`` on two measures (None where there are no two), with
      ``x`` and ``y``, their labels, and ``sides``: ``bias and quality`` or ``two biases``
    - ``cells``: the finished ones: ``id``, ``resource``, ``method``, ``measure``, ``concept``,
      ``seed``; ``metric``, ``title``, ``value``, ``why_undefined``, ``better``, ``interval``,
      ``p``, ``details``, ``parameters``, ``warnings``, ``version`` as in a measurement; how many
      words were ``used``, ``missing`` and ``set_aside``; ``words``: a key of ``word_sets``;
      ``method_expression``, ``resource_sha256``, ``vectors_sha256``, ``concept_sha256``
    - ``concepts``: the words of the user's own concepts, by ``concept_sha256``
    - ``word_sets``: by key a list of ``set``, ``used``, ``missing``, ``set_aside`` (words)
    - ``failures``: ``label`` (the five as a list), ``id``, ``message``
    - ``left_out``: ``what`` is not in this record and ``why``
    - ``measures``: the glossary of the metrics in ``cells`` by ``metric``: ``summary``, ``takes``,
      ``better``, ``range``, ``misleads``, ``cites``, ``reference``
    - ``provenance``: the versions that made this record (each cell has its own)
    """
    store = ReadOnce(folder)
    left_out: list[Plain] = []
    found = status(store, progress)
    rows = stored_rows(store)
    cells, word_sets = brief_cells(store, progress)
    measures = glossary(cell["metric"] for cell in cells)
    takes = {cell["measure"]: measures[cell["metric"]]["takes"] for cell in cells}
    tabled = _or_why("table", lambda: table(rows), left_out)
    correlations = _or_why("correlations", lambda: _correlations(rows, seed, progress), left_out)
    ranking: Plain | None = None
    if front:  # who names measures wants to hear what is wrong with them
        ranking = front_of(rows, table(rows), takes, front)
    elif tabled is not None:
        ranking = _or_why("front", lambda: front_of(rows, tabled, takes), left_out)
    return Study(
        {
            "kind": "unslant study 1",
            "plan": _plan(store, rows, left_out),
            "status": _counts(found),
            "table": tabled,
            "correlations": correlations,
            "front": ranking,
            "cells": cells,
            "word_sets": word_sets,
            "concepts": store.definitions(),
            "failures": [
                {"label": list(item.label), "id": item.id, "message": item.message}
                for item in found.failures
            ],
            "left_out": left_out,
            "measures": measures,
            "provenance": provenance(),
        }
    )


def _or_why(what: str, make: Callable[[], Plain], left_out: list[Plain]) -> Plain | None:
    try:
        return make()
    except UnslantError as error:
        left_out.append({"what": what, "why": str(error)})
        return None


def _correlations(rows: Sequence[Row], seed: int, progress: Progress | None) -> Plain:
    found = correlate(rows, seed=seed, progress=progress)
    if all(pair["value"] is None for pair in found["pairs"]):
        pair = found["pairs"][0]
        raise UnslantError(
            f"No two measures can be correlated; {pair['first']} and {pair['second']}: "
            f"{pair['why_undefined']}."
        )
    return found


def _counts(found: Status) -> Plain:
    kept = ("planned", "done", "failed", "damaged", "missing")
    counts = {name: value for name, value in asdict(found).items() if name in kept}
    return counts | {"is_complete": found.is_complete, "says": str(found)}


def _plan(store: Store, rows: Sequence[Row], left_out: list[Plain]) -> Plain:
    facts = store.facts()
    plan: Plan | None = None
    try:
        plan = store.plan()
    except UnslantError as error:  # its files may be gone by now; the results are not
        left_out.append({"what": "the text of the plan", "why": str(error)})
    sides = ("resource", "method", "measure", "concept", "seed")
    labels = {f"{side}s": list(dict.fromkeys(getattr(row, side) for row in rows)) for side in sides}
    return {
        "name": str(facts["name"]),
        "about": plan.about if plan else "",
        "text": plan.text if plan else None,
        "sha256": facts["sha256"],
        **labels,
        "expressions": {cell.method_label: cell.method for cell in plan.cells} if plan else {},
    }
