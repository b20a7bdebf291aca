"""Two to six spaces side by side: files, or what methods make of them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unslant.concepts import Concept
from unslant.core.errors import UnslantError
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import Job as AuditJob
from unslant.studies.debiasing import jobs_for
from unslant.web.concepts import quick_jobs, some_of
from unslant.web.files import PageResult, result_of
from unslant.web.jobs import Job, Report
from unslant.web.request_fields import sides, text
from unslant.web.side_by_side import (
    Side,
    compared_table,
    sentences,
    side_by_side,
    verdict_table,
)

if TYPE_CHECKING:
    from unslant.web.work import Desk


def start_comparison(desk: "Desk", asked: Mapping[str, Any]) -> Job:
    """Compare spaces by the same measures; two are drawn as before and after."""
    concept = desk.concepts[text(asked, "concept")]
    chosen = sides(asked)
    for id, _ in chosen:
        desk.only_vectors(id, "Comparing spaces")
        desk.spaces.check(id)
    if len(set(chosen)) < len(chosen):
        raise UnslantError("Two sides are the same space. Choose another one, or a method.")
    is_whole = text(asked, "extent", "quick") == "main"
    jobs = _jobs(concept, is_whole=is_whole, refitted=len({id for id, _ in chosen}) == 1)

    def work(report: Report) -> PageResult:
        if len(chosen) == 2:
            left, right = (desk.space(id, chain, concept, report) for id, chain in chosen)
            found = audit(right, concept, baseline=left, jobs=jobs, progress=report)
            return result_of(found.record)
        return _all(desk, chosen, concept, jobs, report)

    return desk.jobs.start(("compare", concept.content_hash, is_whole, *chosen), work)


def _all(
    desk: "Desk",
    chosen: list[tuple[str, str]],
    concept: Concept,
    jobs: list[AuditJob],
    report: Report,
) -> PageResult:
    """Every side against the first, one after the other."""
    first = desk.space(*chosen[0], concept, report)
    sides: list[Side] = []
    for number, (id, chain) in enumerate(chosen):

        def told(doing: str, done: int, total: int, at: int = number) -> None:
            report(f"{at + 1} of {len(chosen)}: {doing}", done, total)

        space = desk.space(id, chain, concept, told)
        done = audit(space, concept, baseline=first if number else None, jobs=jobs, progress=told)
        sides.append(Side(vectors=desk.spaces.load(id, told).name, chain=chain, record=done.record))
    report("Drawing", 0, 0)
    record = side_by_side(sides, sides[0].record.subject)
    tables = [compared_table(sides), verdict_table(sides)]
    summary = sentences(sides)
    return result_of(record, sentences=summary, verdict=summary[0], tables=tables)


def _jobs(concept: Concept, *, is_whole: bool, refitted: bool) -> list[AuditJob]:
    if is_whole:
        return some_of(jobs_for(concept, "main", refitted=refitted), concept)
    return some_of(quick_jobs(concept, refitted=refitted), concept)
