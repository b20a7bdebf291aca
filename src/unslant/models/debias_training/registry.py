"""The methods that train a model, by name."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from unslant.core.components import shortest
from unslant.core.example import Example
from unslant.core.expression import Call
from unslant.core.registry import Component, Registry, Traits

if TYPE_CHECKING:
    from unslant.models.debias_training.tuning import Tuning

Needs = Literal["any model", "a language-model head", "a masked head"]


@dataclass(frozen=True, kw_only=True)
class TuningFacts:
    """A training method's declaration: what the model must have, and when it misleads.

    ``at_place`` is whether it acts at a place in the model while it trains; it then needs one.
    """

    needs: Needs
    misleads: str
    at_place: bool = False


def _traits(facts: TuningFacts) -> Traits:
    return {"guarantees": [], "acts_on": "the weights of a language model", "needs": facts.needs}


TUNINGS: Registry[TuningFacts] = Registry("method that trains a model", "unslant.tunings", _traits)


def tuning(
    name: str,
    *,
    cites: str,
    needs: Needs,
    misleads: str,
    at_place: bool = False,
) -> Callable[[Component], Component]:
    """Decorate a frozen dataclass of parameters with the name of the method and its facts."""
    facts = TuningFacts(needs=needs, misleads=misleads, at_place=at_place)
    where = "@layer:-1" if at_place else ""
    example = Example(call=f"{name}(text=novels.txt){where}", of="MODEL")
    return TUNINGS.register(name, cites=cites, facts=facts, example=example)


def call_of(method: "Tuning") -> Call:
    """The method with its parameters, those that have their default left out."""
    return shortest(TUNINGS, Call(method.name, kwargs=tuple(asdict(method).items())))
