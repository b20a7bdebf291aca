"""Debiasing methods: their interface and declared facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, dataclass_transform

from unslant.concepts import Concept, WordPolicy
from unslant.core.example import PLAIN, Example
from unslant.core.files import Progress
from unslant.core.measurement import WordUse
from unslant.core.registry import Component, Registry, Traits
from unslant.measures.registry import VOCABULARY

if TYPE_CHECKING:
    from unslant.core.types import Array
    from unslant.erasers import Action
    from unslant.vectors import WordVectors


@dataclass(frozen=True, kw_only=True)
class FitSetting:
    """The context of a fit, apart from the parameters of the method.

    Words missing from the vectors are dropped and listed by default: lists for debiasing are long,
    and no file contains all of their words.
    """

    policy: WordPolicy = field(default_factory=lambda: WordPolicy(missing="drop"))
    progress: Progress | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The result of fitting a method: its steps, and details about them.

    ``removed`` are directions (orthonormal rows) along which changed vectors have no component
    afterwards.
    """

    steps: tuple[Action, ...]
    removed: Array | None = None
    words: tuple[WordUse, ...] = ()
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Debiaser(Protocol):
    """A frozen dataclass of parameters with one method."""

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Compute the steps for these vectors, which are not changed themselves."""


@dataclass(frozen=True)
class ActsOn:
    """What a method may act on; why not on more, and what to use there instead."""

    what: str
    because: str = ""
    instead: str = ""
    only_places: bool = False
    """Whether it may act only at places in a language model; ``because`` is then why."""


ANY_VECTORS = ActsOn("any vectors")
"""Word vectors, and the vectors at any place in a language model."""


def words_only(because: str, instead: str = "linear or misp") -> ActsOn:
    """Word vectors only; ``because`` completes a sentence that begins with the method's name."""
    return ActsOn("word vectors", because, instead)


def places_only(because: str) -> ActsOn:
    """Places in a model only; ``because`` completes a sentence about the method."""
    return ActsOn("places in a language model", because, only_places=True)


@dataclass(frozen=True, kw_only=True)
class MethodFacts:
    """A method's declared guarantees, by the names below, and what it may act on.

    ``needs`` is what it is fitted on: any space, or one with a ranked vocabulary. ``misleads`` says
    when its result looks better than it is.
    """

    guarantees: frozenset[str]
    acts_on: ActsOn
    needs: Literal["space", "vocabulary"]
    misleads: str = ""


def _traits(facts: MethodFacts) -> Traits:
    return {"guarantees": sorted(facts.guarantees), "acts_on": facts.acts_on.what}


DEBIASERS: Registry[MethodFacts] = Registry("debiasing method", "unslant.debiasers", _traits)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def debiaser(
    name: str,
    *,
    cites: str,
    guarantees: set[str],
    acts_on: ActsOn,
    needs: Literal["space", "vocabulary"] = VOCABULARY,
    misleads: str = "",
    example: Example = PLAIN,
) -> Callable[[Component], Component]:
    """Decorate a method with its name, citation, guarantees, what it may act on and needs.

    ``misleads`` says when its result looks better than it is. The method
    becomes a frozen dataclass, whose fields are its parameters.
    """
    facts = MethodFacts(
        guarantees=frozenset(guarantees), acts_on=acts_on, needs=needs, misleads=misleads
    )
    return DEBIASERS.register(name, cites=cites, facts=facts, example=example)


GUARANTEES: Mapping[str, str] = {
    "removes-subspace": "changed vectors have no component along the removed directions",
    "idempotent": "applying it twice is the same as applying it once",
    "affine": "it is one matrix and one offset, the same for every vector",
    "linear": "it is one matrix, the same for every vector",
    "orthogonal-projection": "its matrix is an orthogonal projection: it only removes components",
    "keeps-length": "every vector keeps its length",
    "orthogonalises": "of two directions, one stays and the other becomes orthogonal to it",
    "unit-length": "every vector has length 1 afterwards",
    "spares-specific-words": "words that carry the attribute by definition keep their direction",
    "needs-no-words": "it works on any vector, even one without a word",
}
"""What methods may claim. Claiming one subjects a method to its test in tests/contracts."""
PROJECTION = {"removes-subspace", "idempotent", "linear", "orthogonal-projection", "needs-no-words"}
"""What a method guarantees that projects certain directions out of every vector."""
