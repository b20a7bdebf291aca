"""Estimators, and how an expression such as ``pair-pca(k=2)`` selects one."""

from collections.abc import Callable
from typing import Protocol

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.components import component_from
from unslant.core.errors import ExpressionError
from unslant.core.registry import Component, Registry
from unslant.subspaces.orientation import pointing_to_first_group
from unslant.subspaces.subspace import Subspace
from unslant.vectors import GivenSpace, Space, space_from


class Estimator(Protocol):
    """A frozen dataclass of parameters with one method."""

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace of a concept in this space."""


ESTIMATORS: Registry[None] = Registry("subspace estimator", "unslant.subspaces")


def subspace_estimator(name: str, *, cites: str) -> Callable[[Component], Component]:
    """Decorate an estimator with its name and citation."""
    return ESTIMATORS.register(name, cites=cites, facts=None)


def estimator_from(expression: str) -> Estimator:
    """The estimator selected by an expression, with its parameters checked."""
    made: Estimator = component_from(ESTIMATORS, expression)
    return made


def estimate(
    expression: str | None,
    space: GivenSpace,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
) -> Subspace:
    """The subspace of a concept by an estimator, or by the concept's default if none is given.

    If the concept has two groups, every axis points to the first.
    """
    concept = concept_from(concept)
    space = space_from(space)
    chosen = expression or concept.direction
    if chosen is None:
        raise ExpressionError(
            f'The concept "{concept.name}" has no default direction. Name an estimator, for '
            f"example two-means(first, second)."
        )
    policy = policy or WordPolicy()
    found = estimator_from(chosen).fit(space, concept, policy)
    return pointing_to_first_group(found, space, concept, policy)
