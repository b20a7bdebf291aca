"""Estimators, and how an expression such as ``pair-pca(k=2)`` selects one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.components import component_from
from unslant.core.errors import ExpressionError
from unslant.core.example import PLAIN, Example
from unslant.core.registry import Component, Registry
from unslant.core.types import Array
from unslant.subspaces.subspace import Subspace
from unslant.vectors import GivenSpace, Space, space_from

_ROUNDING = 1e-6


class Estimator(Protocol):
    """A frozen dataclass of parameters with one method."""

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace of a concept in this space."""


@dataclass(frozen=True, kw_only=True)
class EstimatorFacts:
    """An estimator's declaration: when its direction is not that of the concept."""

    misleads: str = ""


ESTIMATORS: Registry[EstimatorFacts] = Registry("subspace estimator", "unslant.subspaces")


def subspace_estimator(
    name: str, *, cites: str, misleads: str = "", example: Example = PLAIN
) -> Callable[[Component], Component]:
    """Decorate an estimator with its name, its citation and when it misleads."""
    facts = EstimatorFacts(misleads=misleads)
    return ESTIMATORS.register(name, cites=cites, facts=facts, example=example)


def estimator_from(expression: str) -> Estimator:
    """The estimator selected by an expression, with its parameters checked."""
    estimator: Estimator = component_from(ESTIMATORS, expression)
    return estimator


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
    if expression is not None and not isinstance(expression, str):
        raise ExpressionError(
            f'Name the estimator first, as in us.estimate("pair-pca(k=2)", vectors, concept), not '
            f"{type(expression).__name__}."
        )
    chosen = expression or concept.direction
    if chosen is None:
        raise ExpressionError(
            f'The concept "{concept.name}" has no default direction. Name an estimator, for '
            f"example two-means(first, second)."
        )
    policy = policy or WordPolicy()
    subspace = estimator_from(chosen).fit(space, concept, policy)
    return pointing_to_first_group(subspace, space, concept, policy)


def pointing_to_first_group(
    subspace: Subspace, space: Space, concept: Concept, policy: WordPolicy
) -> Subspace:
    """The subspace with each axis oriented so that the concept's first group is positive.

    Estimators do not agree on a side: a table may have the second group in its first column, and a
    pair may be named in either order. The groups are identified by the estimate's words
    that belong to one of them, or by all their words if none do. An axis along which the two
    groups do not differ keeps its sign, and so does every axis if there are not two groups.
    """
    if len(concept.groups) != 2:
        return subspace
    used = {word.lower() for use in subspace.words for word in use.used}
    belonging = [_words_of(concept, group) for group in concept.groups]
    chosen = [[word for word in words if word.lower() in used] for words in belonging]
    if not all(chosen):
        chosen = [
            list(concept.members[g].all_words) if g in concept.members else []
            for g in concept.groups
        ]
    means = [_mean_direction(space, words, policy) for words in chosen]
    if means[0] is None or means[1] is None:
        return subspace
    lean = subspace.basis @ (means[0] - means[1])
    if not (lean < -_ROUNDING).any():
        return subspace
    return replace(subspace, basis=subspace.basis * np.where(lean < -_ROUNDING, -1.0, 1.0)[:, None])


def _words_of(concept: Concept, group: str) -> tuple[str, ...]:
    """The words, the names and the cells of tables that belong to a group."""
    lists = [place[group] for place in (concept.words, concept.names) if group in place]
    words = [word for item in lists for word in item.all_words]
    for table in concept.sets.values():
        if group in table.columns:
            place = table.columns.index(group)
            words += [str(row[place]) for row in table.rows]
    return tuple(words)


def _mean_direction(space: Space, words: Iterable[str], policy: WordPolicy) -> Array | None:
    """The mean of the words' unit vectors; None if all of them are missing."""
    forms = space.lookup(list(words), policy.case).forms
    if not forms:
        return None
    rows = space.rows(forms).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units = rows[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
    return np.asarray(units.mean(axis=0)) if len(units) else None
