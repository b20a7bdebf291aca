"""A record as one self-contained page: no request, every word escaped."""

from collections.abc import Iterator
from dataclasses import replace

from unslant.core import wording
from unslant.core.exhibits import Table
from unslant.core.files import Progress
from unslant.core.record import Facts, Record, Resource
from unslant.reports import tables
from unslant.reports.answers import answer
from unslant.reports.card.markdown import how_to_compute
from unslant.reports.figures.of_record import figures_of
from unslant.reports.html import studies
from unslant.reports.html.limitations import limits_of
from unslant.reports.html.shell import rendered
from unslant.reports.html.studies import Uses, WordList


def page(record: Record, progress: Progress | None = None) -> str:
    """The HTML page of any record."""
    return rendered(
        "record.html",
        figures_of(record),
        progress,
        record=record,
        heading=_heading(record),
        sentences=answer(record),
        main_table=tables.main_table(record),
        stamp=_stamp(record),
        answers=studies.answer_tables(record.study) if record.study else None,
        tables=list(_tables(record)),
        furthest=list(tables.furthest_tables(record)),
        exhibits=list(tables.exhibit_tables(record)),
        movement=wording.movement(record.treatment.movement)
        if record.treatment and record.treatment.movement
        else [],
        verdicts=_verdicts(record),
        limits=list(limits_of(record)),
        word_lists=list(_word_lists(record)),
        again=list(_again(record)),
    )


def _tables(record: Record) -> Iterator[Table]:
    """Each table of results, and after it what takes a second look, folded away."""
    mains = tables.result_tables(record, tables.PAGE)
    details = tables.result_tables(record, tables.DETAILS)
    for main, more in zip(mains, details, strict=True):
        yield main
        yield replace(more, title=f"{main.title}: details", caption="", is_detail=True)


def _verdicts(record: Record) -> str:
    """The meaning of better and worse; only paired changes have an interval."""
    if any(result.change and result.change.interval for result in record.results):
        return (
            "Changes are measured on the same resamples before and after, with their interval in "
            "brackets. ✓ and ✗ mean that the distance from the best value clearly changed: the "
            "95 % interval of that change excludes 0."
        )
    return (
        "✓ and ✗ mean that the intervals before and after, as distances from the best value, do "
        "not overlap."
    )


def _stamp(record: Record) -> str:
    """When, by which version, and of what."""
    made = record.provenance
    by = f"Unslant {made['unslant']}" if "unslant" in made else "Unslant"
    measured = wording.counted(len(record.results), "result") if record.results else ""
    return " · ".join(part for part in (made.get("date", ""), by, measured) if part)


def _heading(record: Record) -> str:
    name = record.resource.name if record.resource else ""
    return f"{record.subject.title}: {name}" if name else record.subject.title


def _word_lists(record: Record) -> Iterator[WordList]:
    """The words of each measurement, and those before if they were others.

    Measures of one test mostly use the same words, which are then listed once.
    """
    if record.study:
        yield from studies.word_lists(record.study)
    alike: dict[tuple[str, str, Uses, Uses], list[str]] = {}
    for result in record.results:
        now, before = result.now, result.before
        earlier = before.words if before and result.not_comparable else ()
        of = str(now.parameters.get("subject", ""))
        if now.words:
            alike.setdefault((of, now.title, now.words, earlier), []).append(now.metric)
    for (_, title, uses, earlier), metrics in alike.items():
        names = ", ".join(dict.fromkeys(metrics))
        yield f"{names}: {title} ({wording.words_used(uses)} words)", uses, earlier
    for stage in record.treatment.stages if record.treatment else ():
        if stage.words:
            count = wording.words_used(stage.words)
            yield f"Debiased with {stage.expression} ({count} words)", stage.words, ()


def _again(record: Record) -> Iterator[tuple[str, object]]:
    """How to reproduce the record."""
    for what, resource in (
        ("resource", record.resource),
        ("baseline", record.baseline),
        ("model", record.predictor),
    ):
        if resource:
            yield from _facts_of(what, resource)
    subject = record.subject
    yield "subject: name", subject.name
    if subject.sha256:
        yield "subject: SHA-256", subject.sha256
    yield from _rows(subject.facts, "subject")
    if subject.references:
        yield "sources", "; ".join(subject.references)
    if record.treatment and record.treatment.eraser_sha256:
        yield "SHA-256 of the eraser", record.treatment.eraser_sha256
    how, command = how_to_compute(record)
    yield "command", record.command or f"{how} {command}".rstrip()
    yield from _rows(record.settings)
    seeds = sorted({result.now.seed for result in record.results if result.now.seed is not None})
    if seeds:
        yield "seed", ", ".join(map(str, seeds))
    if record.study:
        yield from studies.facts(record.study)
    yield from record.provenance.items()


def _facts_of(what: str, resource: Resource) -> Iterator[tuple[str, str]]:
    yield f"{what}: name", resource.name
    if resource.sha256:
        yield f"{what}: SHA-256", resource.sha256
    yield from _rows(resource.facts, what)


def _rows(facts: Facts, of: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if value not in (None, "", ()):
            yield f"{of}: {wording.named(key)}" if of else wording.named(key), wording.fact(value)
