"""The page's requests, each as work for a job."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unslant.concepts import Concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import write_text
from unslant.methods.streaming import save_debiased
from unslant.reports.page import page
from unslant.studies.association import association
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import Job as AuditJob
from unslant.studies.debiasing import debiasing, jobs_for
from unslant.studies.model_debiasing import jobs_for_model
from unslant.studies.treatment import treatment_of_model
from unslant.vectors import WordVectors
from unslant.web.chains import checked, checked_in, own_words, place_in, sides, text
from unslant.web.drops import Dropped, Drops
from unslant.web.jobs import Job, Jobs, Report
from unslant.web.measuring import start_measure, start_probe
from unslant.web.models import Models
from unslant.web.opened import DROPPED, Concepts, Given, quick_jobs, some_of
from unslant.web.side_by_side import (
    ComparedSide,
    compared_table,
    sentences,
    side_by_side,
    verdict_table,
)
from unslant.web.spaces import Spaces
from unslant.web.view import Files, PageResult, Told, Written, result_of, shown_association, told

# Two to six spaces side by side: files, or what methods make of them.


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
    sides: list[ComparedSide] = []
    for number, (id, chain) in enumerate(chosen):

        def told(doing: str, done: int, total: int, at: int = number) -> None:
            report(f"{at + 1} of {len(chosen)}: {doing}", done, total)

        space = desk.space(id, chain, concept, told)
        done = audit(space, concept, baseline=first if number else None, jobs=jobs, progress=told)
        sides.append(
            ComparedSide(vectors=desk.spaces.load(id, told).name, chain=chain, record=done.record)
        )
    report("Drawing", 0, 0)
    record = side_by_side(sides, sides[0].record.subject)
    tables = [compared_table(sides), verdict_table(sides)]
    summary = sentences(sides)
    return result_of(record, sentences=summary, verdict=summary[0], tables=tables)


def _jobs(concept: Concept, *, is_whole: bool, refitted: bool) -> list[AuditJob]:
    if is_whole:
        return some_of(jobs_for(concept, "main", refitted=refitted), concept)
    return some_of(quick_jobs(concept, refitted=refitted), concept)


JobsOf = Callable[[Concept], list[AuditJob] | None]
FORMATS = {"safetensors": ".safetensors", "word2vec": ".vec"}


class Desk:
    """Takes requests of the page, checks them and starts jobs."""

    def __init__(self, given: Given, concepts: Concepts, folder: Path) -> None:
        self.given = given
        self.concepts = concepts
        self.spaces = Spaces(given.vectors)
        self.models = Models(given.models)
        self.jobs = Jobs()
        self.drops = Drops(folder)
        self._files = Files(folder)

    def start(self, asked: Mapping[str, Any]) -> Job:
        """Start what a request asks for, or find it where it was started before."""
        kinds: dict[str, Callable[[Mapping[str, Any]], Job]] = {
            "glance": self._glance,
            "look": self._look,
            "audit": self._audit,
            "debias": self._debias,
            "tables": self._tables,
            "measure": partial(start_measure, self),
            "probe": partial(start_probe, self),
            "compare": partial(start_comparison, self),
            "file": self._file,
            "report": self._report,
            "record": self._record,
        }
        kind = text(asked, "kind")
        if kind not in kinds:
            raise UnknownNameError("kind of work", kind, kinds)
        return kinds[kind](asked)

    def open_dropped(self, dropped: Dropped) -> Job:
        """Read a file that was dropped onto the page, and put it among what there is to choose."""

        def work(report: Report) -> Told:
            report("Reading the file", 0, 0)
            if dropped.is_record:
                dropped.check_record()
                self.given = self.given.with_dropped(dropped.path, dropped.name)
                return told({"record": DROPPED})
            return told({"vectors": self.spaces.add(dropped.vectors(report))})

        return self.jobs.start(("drop", str(dropped.path)), work, lane="quick")

    def begin(self) -> Job:
        """Start what the page will ask for first, before it does."""
        if given := self.given.listed():
            self._record({"record": given[0]["id"]})
        request = {"vectors": self.first, "concept": self.concepts.first}
        self._glance(request)
        return self._look(request)

    @property
    def first(self) -> str:
        """The initial choice: the first input, vectors before models."""
        has_only_models = self.given.models and not self.given.vectors
        return "m1" if has_only_models else self.spaces.first

    def chain(self, asked: Mapping[str, Any]) -> str:
        """The chain of a request as it will run, on vectors or in a model."""
        id, chain = text(asked, "vectors", ""), text(asked, "method", "")
        if id in self.models:
            return checked_in(chain, self.models[id], self.models.place(id, place_in(asked)))
        return checked(chain)

    def chosen(self, asked: Mapping[str, Any]) -> tuple[str, Concept]:
        """The subject of a request: the id of vectors or a model, and a concept."""
        id = text(asked, "vectors")
        if id not in self.models:
            self.spaces.check(id)
        return id, self.concepts[text(asked, "concept")]

    def in_model(
        self, kind: str, asked: Mapping[str, Any], jobs: Sequence[AuditJob] | None, lane: str
    ) -> Job:
        """An audit at a place in a model, before and after methods if there are any."""
        id, concept = self.chosen(asked)
        place = self.models.place(id, place_in(asked))
        chain = self.chain(asked) if text(asked, "method", "").strip() else ""

        def work(report: Report) -> PageResult:
            with self.models.in_turn(report):
                before = self.models.space(id, place, concept)
                after = self.models.space(id, place, concept, chain) if chain else before
                model = self.models.model(id, concept, chain)
                found = audit(
                    after,
                    concept,
                    baseline=before if chain else None,
                    jobs=jobs,
                    treatment=treatment_of_model(model, concept) if chain else None,
                    progress=report,
                )
            return result_of(found.record)

        what = None if jobs is None else tuple((str(call), on and on.name) for call, on in jobs)
        key = (kind, id, str(place), concept.content_hash, chain, what)
        return self.jobs.start(key, work, lane=lane)

    def _glance(self, asked: Mapping[str, Any]) -> Job:
        """The first figure, which takes a fraction of the full view's time."""
        _, concept = self.chosen(asked)
        jobs = [job for job in quick_jobs(concept) if job[0].name != "weat"]
        return self._audited("glance", asked, lambda _: jobs) if jobs else self._look(asked)

    def _look(self, asked: Mapping[str, Any]) -> Job:
        return self._audited("look", asked, lambda concept: some_of(quick_jobs(concept), concept))

    def _audit(self, asked: Mapping[str, Any]) -> Job:
        return self._audited("audit", asked, lambda _: None, lane="long")

    def _audited(
        self, kind: str, asked: Mapping[str, Any], jobs_of: JobsOf, *, lane: str = "quick"
    ) -> Job:
        id, concept = self.chosen(asked)
        if id in self.models:
            plain = {key: value for key, value in asked.items() if key != "method"}
            return self.in_model(kind, plain, jobs_of(concept), lane)

        def work(report: Report) -> PageResult:
            vectors = self.spaces.load(id, report)
            found = audit(vectors, concept, jobs=jobs_of(concept), progress=report)
            return result_of(found.record)

        return self.jobs.start((kind, id, concept.content_hash), work, lane=lane)

    def _debias(self, asked: Mapping[str, Any]) -> Job:
        return self._debiased("debias", asked, lambda it: quick_jobs(it, refitted=True))

    def _tables(self, asked: Mapping[str, Any]) -> Job:
        return self._debiased("tables", asked, lambda _: None)

    def _debiased(self, kind: str, asked: Mapping[str, Any], jobs_of: JobsOf) -> Job:
        id, concept = self.chosen(asked)
        text(asked, "method")
        chain = self.chain(asked)
        if id in self.models:
            jobs = jobs_of(concept) or jobs_for_model(concept)
            return self.in_model(kind, asked, jobs, "long")

        def work(report: Report) -> PageResult:
            made = self.spaces.make(id, concept, chain, report)
            found = debiasing(
                made.before,
                made.after,
                made.eraser,
                concept,
                moved=made.moved,
                jobs=jobs_of(concept),
                progress=report,
            )
            return result_of(found.record)

        return self.jobs.start((kind, id, concept.content_hash, chain), work)

    def _file(self, asked: Mapping[str, Any]) -> Job:
        id, concept = self.chosen(asked)
        self.only_vectors(id, "A file of debiased vectors")
        chain, form = checked(text(asked, "method")), text(asked, "format")
        if form not in FORMATS:
            raise UnknownNameError("format to download", form, FORMATS)

        def work(report: Report) -> Written:
            made = self.spaces.make(id, concept, chain, report)

            def write(path: Path) -> None:
                save_debiased(made.before, made.eraser, path, progress=report)

            return self._files.written(made.after.name, FORMATS[form], write)

        key = ("file", id, concept.content_hash, chain, form)
        return self.jobs.start(key, work, still_holds=Written.is_there)

    def _report(self, asked: Mapping[str, Any]) -> Job:
        """The page of a finished job's record; a report takes a second or more to draw."""
        of = self.jobs.find(text(asked, "of"))
        if of is None or not isinstance(of.result, PageResult):
            raise UnslantError("What the report is about is gone. Ask for it again.")
        record = of.result.record

        def work(report: Report) -> Written:
            report("Drawing the report", 0, 0)
            content = page(record)
            return self._files.written(
                "unslant-report", ".html", lambda path: write_text(path, content)
            )

        return self.jobs.start(("report", of.id), work, lane="quick", still_holds=Written.is_there)

    def _record(self, asked: Mapping[str, Any]) -> Job:
        id = text(asked, "record")
        if id not in {item["id"] for item in self.given.listed()}:
            raise UnknownNameError("record", id, [item["id"] for item in self.given.listed()])

        def work(report: Report) -> PageResult:
            return result_of(self.given.record(id, report))

        return self.jobs.start(("record", id, self.given.stamp(id)), work, lane="quick")

    def associate(self, asked: Mapping[str, Any]) -> dict[str, Any] | Job:
        """The association of a page's own words, or the job that loads what it needs first."""
        id = text(asked, "vectors")
        self.only_vectors(id, "The association of your own words")
        chain = text(asked, "method", "")
        words, groups = own_words(asked)
        if chain:
            concept, chain = self.concepts[text(asked, "concept")], checked(chain)
            made = self.spaces.made(id, concept, chain)
            if made is None:
                return self._debias(asked)
            vectors = made.after
        else:
            found = self.spaces.loaded(id)
            if found is None:
                return self._loading(id)
            vectors = found
        return shown_association(association(vectors, words, groups))

    def only_vectors(self, id: str, what: str) -> None:
        """Refuse a model where only vectors will do."""
        if id in self.models:
            raise UnslantError(
                f"{what} needs word vectors, and {self.models[id].name} is a language model. "
                f"Choose vectors, or use Explore or Measure for the model."
            )

    def _loading(self, id: str) -> Job:
        def work(report: Report) -> None:
            self.spaces.load(id, report)

        return self.jobs.start(("load", id), work, lane="quick")

    def space(self, id: str, chain: str, concept: Concept, report: Report) -> WordVectors:
        """Vectors as they are, or after a chain of methods."""
        if not chain:
            return self.spaces.load(id, report)
        return self.spaces.make(id, concept, chain, report).after
