"""Audits as “unslant audit 2” wrote them: of one set of vectors, or before and after."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unslant.core.better import better_side
from unslant.core.comparison import what_was_measured, why_not_comparable
from unslant.core.exhibits import Column, Exhibit, Table
from unslant.core.measurement import Measurement
from unslant.core.older_records.parts import (
    Plain,
    glossary_of,
    left_out_of,
    measurement_of,
    settings_of,
    treatment_of,
    vectors_of,
)
from unslant.core.record import Change, Corrected, LeftOut, Record, Result, Subject, Verdict
from unslant.core.spectrum import Spectrum, spectrum

_RATIOS = ("2nd / 1st", "3rd / 1st", "4th / 1st")


def audit_record(plain: Mapping[str, Any]) -> Record:
    """The record of an audit."""
    concept = plain["concept"]
    before = [measurement_of(item) for item in plain["before"]]
    results = tuple(_results(plain, before))
    return Record(
        about="audit",
        subject=Subject(
            kind="concept",
            name=concept["name"],
            title=concept["title"],
            about=concept["about"],
            groups=tuple(concept["groups"]),
            caveats=tuple(concept["caveats"]),
            sha256=concept["words_sha256"],
            definition=concept.get("definition"),
        ),
        resource=vectors_of(plain["vectors"]),
        baseline=vectors_of(plain["baseline"]),
        treatment=treatment_of(plain["debiasing"], concept["name"]),
        results=results,
        exhibits=tuple(_exhibits(plain)),
        left_out=(*left_out_of(plain["left_out"]), *_only_before(results, before)),
        glossary=glossary_of(plain["metrics"]),
        settings=settings_of(plain["policy"]) | {"direction": concept["direction"]},
        provenance=plain["provenance"],
    )


def _results(plain: Plain, before: Sequence[Measurement]) -> Iterator[Result]:
    earlier = {what_was_measured(item): item for item in before}
    for item in map(measurement_of, plain["measurements"]):
        then = earlier.get(what_was_measured(item))
        why = why_not_comparable(item, then) if then else ""
        yield Result(
            now=item,
            before=then,
            not_comparable=why,
            change=_change(item, then) if then and not why else None,
            corrected=_corrected(plain["corrections"].get(item.metric, {}), item),
        )


def _change(now: Measurement, before: Measurement) -> Change:
    """The difference, and whether the two intervals lie apart: they were not paired then."""
    if now.value is None or before.value is None:
        return Change(difference=None, why_undefined=now.why_undefined or before.why_undefined)
    difference = now.value - before.value
    percent = 100 * difference / before.value if before.value else None
    return Change(difference=difference, percent=percent, verdict=_verdict(now, before))


def _verdict(now: Measurement, before: Measurement) -> Verdict:
    better = better_side(now.better)
    if not better or not now.interval or not before.interval:
        return "unknown"
    first, second = (better.gaps(it.low, it.high) for it in (now.interval, before.interval))
    if first[0] <= second[1] and second[0] <= first[1]:
        return "unclear"
    return "better" if first < second else "worse"


def _corrected(family: Plain, item: Measurement) -> Corrected | None:
    """The corrected p-values, which the oldest records have by title."""
    for key in (what_was_measured(item), item.title):
        if key in family.get("holm", {}):
            return Corrected(
                holm=family["holm"][key], benjamini_hochberg=family["benjamini-hochberg"][key]
            )
    return None


def _only_before(results: Sequence[Result], before: Sequence[Measurement]) -> Iterator[LeftOut]:
    """What could be measured before only."""
    used = {id(result.before) for result in results}
    for item in before:
        if id(item) not in used:
            value = "no value" if item.value is None else f"{item.value:.3f}"
            yield LeftOut(
                what=f"{what_was_measured(item)} ({value} before)", why="measured before only"
            )


def _exhibits(plain: Plain) -> Iterator[Exhibit]:
    rows = plain["stability"]
    compared = [row for row in (plain["direction"], *rows) if row]
    yield from spectrum(
        [
            Spectrum(row["estimator"], row.get("explained") or (), row.get("chance") or ())
            for row in compared
        ],
        plain["concept"]["name"],
        plain["vectors"]["name"],
    )
    if rows:
        yield Table(
            id="stability",
            title="How well the direction is determined",
            caption=f"Other estimates compared with {plain['concept']['direction']}. Small ratios "
            f"mean that one direction dominates. A cosine of 1 means full agreement.",
            columns=(
                Column(label="estimate"),
                *(Column(label=label, digits=2) for label in _RATIOS),
                Column(label="cosine with the direction in use", digits=2),
            ),
            rows=tuple(
                (row["estimator"], *[*row["ratios"], None, None, None][:3], row["cosine"])
                for row in rows
            ),
        )
