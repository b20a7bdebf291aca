"""What a debiasing method is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from unslant.concepts import Concept, WordPolicy
from unslant.core.files import Progress
from unslant.core.measurement import WordUse
from unslant.core.registry import Component, Registry
from unslant.erasers import Action
from unslant.erasers.transform import Array
from unslant.vectors import WordVectors


@dataclass(frozen=True, kw_only=True)
class FitSetting:
    """What surrounds a fit and is not a parameter of the method.

    Words that the vectors lack are dropped and listed by default: lists for debiasing are long,
    and no file has every word of them.
    """

    policy: WordPolicy = field(default_factory=lambda: WordPolicy(missing="drop"))
    progress: Progress | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """What a method found: the steps to take, and what to say about them.

    ``removed`` are directions (orthonormal rows) that no vector which the steps change has a part
    in afterwards.
    """

    steps: tuple[Action, ...]
    removed: Array | None = None
    words: tuple[WordUse, ...] = ()
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Debiaser(Protocol):
    """A frozen dataclass of parameters with one method."""

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Find out what to do to these vectors; the vectors themselves are not touched."""


@dataclass(frozen=True)
class ActsOn:
    """What a method may act on; why not on more, and what to use there instead."""

    what: str
    because: str = ""
    instead: str = ""


ANY_VECTORS = ActsOn("any vectors")
"""Word vectors, and the vectors at any place in a language model."""


def words_only(because: str, instead: str = "linear or misp") -> ActsOn:
    """Word vectors alone; ``because`` goes on after the method's name."""
    return ActsOn("word vectors", because, instead)


@dataclass(frozen=True, kw_only=True)
class MethodFacts:
    """What a method declares: its guarantees, by the names below, and what it may act on."""

    guarantees: frozenset[str]
    acts_on: ActsOn


DEBIASERS: Registry[MethodFacts] = Registry("debiasing method", "unslant.debiasers")


def debiaser(
    name: str, *, cites: str, guarantees: set[str], acts_on: ActsOn
) -> Callable[[Component], Component]:
    """Decorate a method with its name, citation, guarantees and what it may act on."""
    facts = MethodFacts(guarantees=frozenset(guarantees), acts_on=acts_on)
    return DEBIASERS.register(name, cites=cites, facts=facts)


GUARANTEES: Mapping[str, str] = {
    "removes-subspace": "no changed vector has a part in the removed directions",
    "idempotent": "doing it twice is doing it once",
    "affine": "one matrix and one offset do it to any vector",
    "linear": "one matrix does it to any vector",
    "orthogonal-projection": "its matrix is an orthogonal projection: it takes parts out, no more",
    "keeps-length": "every vector keeps its length",
    "orthogonalises": "one of two directions stays and the other ends at a right angle to it",
    "unit-length": "every vector has length 1 afterwards",
    "spares-specific-words": "words that carry the attribute by definition keep their direction",
    "needs-no-words": "it acts on any vector, also on one that has no word",
}
"""What methods may claim. Claiming one subscribes a method to its test in tests/contracts."""
