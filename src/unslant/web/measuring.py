"""Run one measure for the page: a metric of vectors, or a probe of a suitable predictor."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from unslant.concepts import bundled_concepts, concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.expression import Call, parse_call
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.registry import Entry
from unslant.measures.registry import MEASURES, SPACE, Declared, measure_from, probes
from unslant.models.language.base import LanguageModel
from unslant.probes.abilities import ListsSets, ReadsVectors
from unslant.studies.audit import audit
from unslant.studies.probe import probe
from unslant.web.chains import chain_in, check_call, place_in, text
from unslant.web.jobs import Job, Report
from unslant.web.view import PageResult, result_of

if TYPE_CHECKING:
    from unslant.web.work import Desk


# Measures that a page names: within the same bounds as methods, and without files.
#
# On the command line a parameter such as `nli(set=…)` may also be a file of the user's. A page
# may name only what is bundled or installed.

_CONTEXTS = ("bleached", "everyday", "plain")
_MAY_BE_FILES = ("data", "text", "corpus", "names", "set", "groups", "test")
"""Parameters of measures that are files or folders unless they are names that we know."""


def checked_measure(text: str) -> Call:
    """The call of a measure; unknown ones and those not allowed on the page are refused.

    >>> str(checked_measure("weat(ddof=0)"))
    'weat(ddof=0)'
    """
    call = parse_call(text)
    entry = MEASURES.entry(call.name)
    parameters = parameters_of(entry.component)
    arguments = dict(zip((item.name for item in parameters), call.args, strict=False))
    arguments |= dict(call.kwargs)
    defaults = {item.name: item.default for item in parameters}
    named = dict[str, Any]()
    for name, value in arguments.items():
        known = _known(entry.component, name, entry.facts.is_probe) if name in defaults else None
        if known is not None:
            known = {*known, defaults[name]} - {""}
            if value not in known:
                raise UnknownNameError(f'"{name}" of {call.name} on a page', str(value), known)
        else:
            named[name] = value
    # What is one of the names that we know needs no other check, though it may hold a slash.
    check_call(Call(call.name, kwargs=tuple(named.items())), entry.component)
    measure_from(call)
    return call


def _known(component: type[Any], name: str, is_probe: bool) -> set[Any] | None:
    """The values that a parameter which may be a file can have here; None for others."""
    if name == "contexts":
        return set(_CONTEXTS) if _takes_text(component, name) else None
    if name not in _MAY_BE_FILES and not (name == "pairs" and is_probe):
        return None
    if name == "test":
        return set(_tests())
    if name in ("set", "groups"):
        return {item.name for item in sets_of(component)}
    return set()


def _takes_text(component: type[Any], name: str) -> bool:
    """Whether a parameter is a text; the contexts of some probes are a number."""
    return any(item.type is str for item in parameters_of(component) if item.name == name)


def _tests() -> Iterable[str]:
    return (f"{name}/{test}" for name in bundled_concepts() for test in concept(name).tests)


def sets_of(component: type[Any]) -> tuple[Any, ...]:
    """The sets that a probe brings with it."""
    probe = component()
    return tuple(probe.sets()) if isinstance(probe, ListsSets) else ()


def set_parameter(component: type[Any]) -> str:
    """The parameter that chooses one of the sets, if there is one."""
    names: Mapping[str, Any] = {item.name: item for item in parameters_of(component)}
    return next((name for name in ("set", "groups") if name in names), "")


# The probes on the page, and their predictors: open vectors or language models.

_OF_CORPORA = ("corpus", "split")
"""Parameters of probes whose questions are made from a corpus, which a page cannot name."""


def listed_parameters(component: type[Any]) -> list[dict[str, str]]:
    """The parameters of a measure as the page shows them."""
    return [_listed(item) for item in parameters_of(component)]


def _listed(parameter: Parameter) -> dict[str, str]:
    default = "none" if parameter.is_required else str(parameter.default) or "empty"
    return {"name": parameter.name, "takes": str(parameter), "default": default}


def offered_probes() -> list[Entry[Declared]]:
    """The probes whose questions need no corpus of the user's."""
    return [
        entry
        for entry in probes()
        if not any(item.name in _OF_CORPORA for item in parameters_of(entry.component))
    ]


def listed_probes(models: Mapping[str, LanguageModel]) -> list[dict[str, Any]]:
    """Each probe with its sets, its parameters and its possible predictors."""
    return [
        {
            **_facts(entry.name),
            "models": [
                id
                for id, model in models.items()
                if model.can_answer(entry.facts.needs)  # type: ignore[arg-type]
            ],
        }
        for entry in offered_probes()
    ]


@cache
def _facts(name: str) -> dict[str, Any]:
    entry = MEASURES.entry(name)
    return {
        "name": entry.name,
        "summary": entry.summary.replace("``", ""),
        "vectors": isinstance(entry.component(), ReadsVectors),
        "chooses": set_parameter(entry.component),
        "sets": [item.name for item in sets_of(entry.component)],
        "parameters": listed_parameters(entry.component),
    }


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
