"""What the page can ask for, each as a piece of work for a job."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.concepts import Concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.expression import parse_call
from unslant.core.files import write_text
from unslant.measures.registry import MEASURES, SPACE, measure_from
from unslant.methods import save_debiased
from unslant.reports.page import page
from unslant.studies.association import association
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import Job as AuditJob
from unslant.studies.debiasing import debiasing, jobs_for
from unslant.studies.model_debiasing import jobs_for_model
from unslant.studies.probe import probe
from unslant.studies.treatment import treatment_of_model
from unslant.vectors import WordVectors
from unslant.web.chains import checked, checked_in
from unslant.web.concepts import Concepts, quick_jobs
from unslant.web.files import Files, PageResult, Written, result_of
from unslant.web.jobs import Job, Jobs, Report
from unslant.web.models import Models
from unslant.web.opened import Given
from unslant.web.request_fields import chain_in, own_words, side, text
from unslant.web.spaces import Spaces
from unslant.web.view import shown_association

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
        self._files = Files(folder)

    def start(self, asked: Mapping[str, Any]) -> Job:
        """Start what a request asks for, or find it where it was started before."""
        kinds = {
            "glance": self._glance,
            "look": self._look,
            "audit": self._audit,
            "debias": self._debias,
            "tables": self._tables,
            "measure": self._measure,
            "compare": self._compare,
            "file": self._file,
            "report": self._report,
            "record": self._record,
        }
        kind = text(asked, "kind")
        if kind not in kinds:
            raise UnknownNameError("kind of work", kind, kinds)
        return kinds[kind](asked)

    def begin(self) -> Job:
        """Start what the page will ask for first, before it does."""
        if given := self.given.listed():
            self._record({"record": given[0]["id"]})
        asked = {"vectors": self.first, "concept": self.concepts.first}
        self._glance(asked)
        return self._look(asked)

    @property
    def first(self) -> str:
        """What the page begins with: what was given first, vectors before models."""
        has_only_models = self.given.models and not self.given.vectors
        return "m1" if has_only_models else self.spaces.first

    def chain(self, asked: Mapping[str, Any]) -> str:
        """The chain of a request as it will run, on vectors or in a model."""
        id, chain = text(asked, "vectors", ""), text(asked, "method", "")
        if id in self.models:
            return checked_in(chain, self.models[id], self.models.place(id, _place(asked)))
        return checked(chain)

    def _chosen(self, asked: Mapping[str, Any]) -> tuple[str, Concept]:
        id = text(asked, "vectors")
        if id not in self.models:
            self.spaces.check(id)
        return id, self.concepts[text(asked, "concept")]

    def _in_model(
        self, kind: str, asked: Mapping[str, Any], jobs: Sequence[AuditJob] | None, lane: str
    ) -> Job:
        """An audit at a place in a model, before and after methods if there are any."""
        id, concept = self._chosen(asked)
        place = self.models.place(id, _place(asked))
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
        """The first figure of a look, which is there in a fraction of its time."""
        _, concept = self._chosen(asked)
        jobs = [job for job in quick_jobs(concept) if job[0].name != "weat"]
        return self._audited("glance", asked, lambda _: jobs) if jobs else self._look(asked)

    def _look(self, asked: Mapping[str, Any]) -> Job:
        return self._audited("look", asked, lambda concept: _some(quick_jobs(concept), concept))

    def _audit(self, asked: Mapping[str, Any]) -> Job:
        return self._audited("audit", asked, lambda _: None, lane="long")

    def _audited(
        self, kind: str, asked: Mapping[str, Any], jobs_of: JobsOf, *, lane: str = "quick"
    ) -> Job:
        id, concept = self._chosen(asked)
        if id in self.models:
            plain = {key: value for key, value in asked.items() if key != "method"}
            return self._in_model(kind, plain, jobs_of(concept), lane)

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
        id, concept = self._chosen(asked)
        text(asked, "method")
        chain = self.chain(asked)
        if id in self.models:
            jobs = jobs_of(concept) or jobs_for_model(concept)
            return self._in_model(kind, asked, jobs, "long")

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

    def _measure(self, asked: Mapping[str, Any]) -> Job:
        """One measure, before and after a method if there is one."""
        id, concept = self._chosen(asked)
        name, given = text(asked, "name"), text(asked, "parameters", "").strip()
        call = parse_call(f"{name}({given})" if given else name)
        measure_from(call)  # what is wrong with it is reported before anything is loaded
        facts = MEASURES.entry(call.name).facts
        test = concept.test(text(asked, "test")) if facts.takes == "test" else None
        subject = test or (concept if facts.takes == "concept" else None)
        if id in self.models:
            self._check_needs(id, _place(asked), call.name)
            return self._in_model("measure", asked, [(call, subject)], "long")
        chain = chain_in(asked)

        def work(report: Report) -> PageResult:
            before = self.spaces.load(id, report)
            if facts.is_probe:
                how: Any = {"method": chain, "concept": concept, "compare": True} if chain else {}
                return result_of(probe(str(call), before, progress=report, **how).record)
            vectors = self._space(id, chain, concept, report)
            found = audit(
                vectors,
                concept,
                baseline=before if chain else None,
                jobs=[(call, subject)],
                progress=report,
            )
            return result_of(found.record)

        key = ("measure", id, concept.content_hash, chain, str(call), test and test.name)
        return self.jobs.start(key, work)

    def _compare(self, asked: Mapping[str, Any]) -> Job:
        concept = self.concepts[text(asked, "concept")]
        sides = [side(asked, name) for name in ("left", "right")]
        for id, _ in sides:
            self._only_vectors(id, "Comparing two spaces")
            self.spaces.check(id)
        if sides[0] == sides[1]:
            raise UnslantError("Both sides are the same space. Choose another one, or a method.")
        extent = text(asked, "extent", "quick")
        is_whole = extent == "main"

        def work(report: Report) -> PageResult:
            left, right = (self._space(id, chain, concept, report) for id, chain in sides)
            is_same_origin = sides[0][0] == sides[1][0]
            if is_whole:
                jobs = jobs_for(concept, "main", refitted=is_same_origin)
            else:
                jobs = quick_jobs(concept, refitted=is_same_origin)
            jobs = _some(jobs, concept)
            return result_of(
                audit(right, concept, baseline=left, jobs=jobs, progress=report).record
            )

        return self.jobs.start(("compare", concept.content_hash, is_whole, *sides), work)

    def _file(self, asked: Mapping[str, Any]) -> Job:
        id, concept = self._chosen(asked)
        self._only_vectors(id, "A file of debiased vectors")
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
        self._only_vectors(id, "The association of your own words")
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

    def _only_vectors(self, id: str, what: str) -> None:
        if id in self.models:
            raise UnslantError(
                f"{what} needs word vectors, and {self.models[id].name} is a language model. "
                f"Choose vectors, or use Explore or Measure for the model."
            )

    def _check_needs(self, id: str, place: str, name: str) -> None:
        """Say at once that a measure cannot be taken where a model has no vocabulary."""
        facts = MEASURES.entry(name).facts
        if facts.needs == SPACE or (place == "wordpieces" and not facts.is_probe):
            return
        needs = "word vectors" if facts.is_probe else "a vocabulary ranked by frequency"
        instead = "vectors" if facts.is_probe else "the place wordpieces, or vectors"
        raise UnslantError(
            f"{name} needs {needs}, which {self.models[id].name} does not have at this place. "
            f"Choose {instead}."
        )

    def _loading(self, id: str) -> Job:
        def work(report: Report) -> None:
            self.spaces.load(id, report)

        return self.jobs.start(("load", id), work, lane="quick")

    def _space(self, id: str, chain: str, concept: Concept, report: Report) -> WordVectors:
        if not chain:
            return self.spaces.load(id, report)
        return self.spaces.make(id, concept, chain, report).after


def _place(asked: Mapping[str, Any]) -> str:
    return text(asked, "place", "")


def _some(jobs: list[AuditJob], concept: Concept) -> list[AuditJob]:
    if not jobs:
        raise UnslantError(
            f'The concept "{concept.name}" has neither tests nor neutral words, so nothing is '
            f"drawn. Add [tests] or [neutral] to its file."
        )
    return jobs
