"""Run one measure for the page: a metric of vectors, or a probe of a suitable predictor."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.expression import Call
from unslant.measures.registry import MEASURES, SPACE
from unslant.probes.abilities import ReadsVectors
from unslant.studies.audit import audit
from unslant.studies.probe import probe
from unslant.web.files import PageResult, result_of
from unslant.web.jobs import Job, Report
from unslant.web.measure_calls import checked_measure
from unslant.web.probes import offered_probes
from unslant.web.request_fields import chain_in, place_in, text

if TYPE_CHECKING:
    from unslant.web.work import Desk


def start_measure(desk: "Desk", asked: Mapping[str, Any]) -> Job:
    """One measure, before and after a method if there is one."""
    id, concept = desk.chosen(asked)
    call = _called(asked)
    facts = MEASURES.entry(call.name).facts
    if facts.is_probe:
        return start_probe(desk, asked)
    test = concept.test(text(asked, "test")) if facts.takes == "test" else None
    subject = test or (concept if facts.takes == "concept" else None)
    if id in desk.models:
        _check_needs(desk, id, place_in(asked), call.name)
        return desk.in_model("measure", asked, [(call, subject)], "long")
    chain = chain_in(asked)

    def work(report: Report) -> PageResult:
        before = desk.spaces.load(id, report)
        found = audit(
            desk.space(id, chain, concept, report),
            concept,
            baseline=before if chain else None,
            jobs=[(call, subject)],
            progress=report,
        )
        return result_of(found.record)

    key = ("measure", id, concept.content_hash, chain, str(call), test and test.name)
    return desk.jobs.start(key, work)


def start_probe(desk: "Desk", asked: Mapping[str, Any]) -> Job:
    """The questions of a probe, put to vectors or to a model; before and after a method if any."""
    id, concept = desk.chosen(asked)
    call = _called(asked)
    entry = MEASURES.entry(call.name)
    offered = [item.name for item in offered_probes()]
    if call.name not in offered:
        if not entry.facts.is_probe:
            raise UnknownNameError("probe", call.name, offered)
        raise UnslantError(
            f"The questions of {call.name} are made from a corpus, which a page cannot name. Use "
            f"the command line: unslant probe {call.name}"
        )
    is_model = id in desk.models
    if is_model and not desk.models[id].can_answer(entry.facts.needs):  # type: ignore[arg-type]
        raise UnslantError(f"{desk.models[id].name} has nothing that could answer {call.name}.")
    if not is_model and not isinstance(entry.component(), ReadsVectors):
        raise UnslantError(
            f"{call.name} cannot be put to word vectors. Start the page with a language model: "
            f"unslant serve MODEL"
        )
    chain = desk.chain(asked) if text(asked, "method", "").strip() else ""
    how: Any = {"method": chain, "concept": concept, "compare": True} if chain else {}

    def work(report: Report) -> PageResult:
        if not is_model:
            vectors = desk.spaces.load(id, report)
            return result_of(probe(str(call), vectors, progress=report, **how).record)
        with desk.models.in_turn(report):
            found = probe(str(call), desk.models[id], progress=report, **how)
        return result_of(found.record)

    key = ("probe", id, concept.content_hash if chain else "", chain, str(call))
    return desk.jobs.start(key, work)


def _called(asked: Mapping[str, Any]) -> Call:
    """The measure and its parameters; mistakes are reported before anything is loaded."""
    name, parameters = text(asked, "name"), text(asked, "parameters", "").strip()
    return checked_measure(f"{name}({parameters})" if parameters else name)


def _check_needs(desk: "Desk", id: str, place: str, name: str) -> None:
    """Say at once that a metric cannot be taken where a model has no vocabulary."""
    if MEASURES.entry(name).facts.needs == SPACE or place == "wordpieces":
        return
    raise UnslantError(
        f"{name} needs a vocabulary ranked by frequency, which {desk.models[id].name} does not "
        f"have at this place. Choose the place wordpieces, or vectors."
    )
