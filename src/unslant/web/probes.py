"""The probes on the page, and their predictors: open vectors or language models."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from unslant.core.parameters import Parameter, parameters_of
from unslant.core.registry import Entry
from unslant.measures.registry import MEASURES, Declared, probes
from unslant.models.language.base import LanguageModel
from unslant.probes.abilities import ReadsVectors
from unslant.web.measure_calls import set_parameter, sets_of

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
