"""The page of a record: the answer, figures, tables, every word, what the measures mean."""

from collections.abc import Iterator

from unslant.core.files import Progress
from unslant.core.measurement import WordUse
from unslant.core.record import Fact, Facts, Record, Resource
from unslant.reports import tables, words
from unslant.reports.answers import answer
from unslant.reports.bridge import figures_of
from unslant.reports.html.limits import limits_of
from unslant.reports.html.shell import rendered

Uses = tuple[WordUse, ...]


def record_page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of an audit, a probe or an association, alone or before and after."""
    return rendered(
        "record.html",
        figures_of(record),
        progress,
        record=record,
        heading=_heading(record),
        sentences=answer(record),
        tables=list(tables.result_tables(record, tables.PAGE)),
        furthest=list(tables.furthest_tables(record)),
        exhibits=list(tables.exhibit_tables(record)),
        movement=words.movement(record.treatment.movement)
        if record.treatment and record.treatment.movement
        else [],
        limits=list(limits_of(record)),
        word_lists=list(_word_lists(record)),
        again=list(_again(record)),
        cell_text=tables.cell_text,
    )


def _heading(record: Record) -> str:
    name = record.resource.name if record.resource else ""
    return f"{record.subject.title}: {name}" if name else record.subject.title


def _word_lists(record: Record) -> Iterator[tuple[str, Uses, Uses]]:
    """The words of each measurement, and those before if they were others.

    Measures of one test mostly use the same words, which are then listed once.
    """
    alike: dict[tuple[str, str, Uses, Uses], list[str]] = {}
    for result in record.results:
        now, before = result.now, result.before
        earlier = before.words if before and result.not_comparable else ()
        of = str(now.parameters.get("subject", ""))
        if now.words:
            alike.setdefault((of, now.title, now.words, earlier), []).append(now.metric)
    for (_, title, uses, earlier), metrics in alike.items():
        names = ", ".join(dict.fromkeys(metrics))
        yield f"{names}: {title} ({words.words_used(uses)} words)", uses, earlier
    for stage in record.treatment.stages if record.treatment else ():
        if stage.words:
            count = words.words_used(stage.words)
            yield f"Debiased with {stage.expression} ({count} words)", stage.words, ()


def _again(record: Record) -> Iterator[tuple[str, str]]:
    """What it takes to compute the same once more."""
    for what, resource in (
        ("resource", record.resource),
        ("baseline", record.baseline),
        ("model", record.predictor),
    ):
        if resource:
            yield from _facts_of(what, resource)
    subject = record.subject
    yield from _rows({"name": subject.name, "SHA-256": subject.sha256, **subject.facts}, "words")
    if subject.references:
        yield "sources", "; ".join(subject.references)
    if record.treatment and record.treatment.eraser_sha256:
        yield "SHA-256 of the eraser", record.treatment.eraser_sha256
    yield from _rows(record.settings)
    seeds = sorted({result.now.seed for result in record.results if result.now.seed is not None})
    if seeds:
        yield "seed", ", ".join(map(str, seeds))
    yield from record.provenance.items()


def _facts_of(what: str, resource: Resource) -> Iterator[tuple[str, str]]:
    named: dict[str, Fact] = {"name": resource.name, "SHA-256": resource.sha256 or None}
    yield from _rows({**named, **resource.facts}, what)


def _rows(facts: Facts, of: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if value not in (None, "", ()):
            yield f"{of}: {words.named(key)}" if of else words.named(key), words.fact(value)
