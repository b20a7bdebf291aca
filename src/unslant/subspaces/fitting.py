"""Functions shared by several estimators: pairs of words in a space, and axes from rows."""

from dataclasses import replace

import numpy as np

from unslant.concepts import Concept, WordList, WordPolicy, WordSets, resolve
from unslant.concepts.wordsets import whole_rows
from unslant.core.errors import DegenerateSubspaceError, ExpressionError, MissingWordsError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.numerics.linalg import principal_axes
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


def two_groups(concept: Concept, estimator: str) -> tuple[str, str]:
    """The two groups of a concept; an estimator of one direction needs exactly two."""
    if len(concept.groups) != 2:
        advice = f"Choose two of them, as in {between_two(concept, estimator)}"
        if estimator == "names":  # the default of methods, which have a parameter for another
            advice = f'Choose two of them, as in subspace="{between_two(concept)}"'
            if concept.sets:
                advice += f', or all, as in subspace="pair-pca({next(iter(concept.sets))}, k=2)"'
        raise ExpressionError(
            f'{estimator} separates two groups, but "{concept.name}" has {len(concept.groups)}. '
            f"{advice}."
        )
    return concept.groups[0], concept.groups[1]


def between_two(concept: Concept, estimator: str = "two-means") -> str:
    """An expression for the direction between the first two groups of a concept, to choose from.

    >>> from unslant.concepts import concept
    >>> between_two(concept("nationality"))
    'two-means(american, chinese)'
    """
    first, second = [*(group for group in concept.groups if group in concept.words), "", ""][:2]
    return f"{estimator}({first or 'first'}, {second or 'second'})"


def group_sets(
    space: Space, concept: Concept, first: str, second: str, policy: WordPolicy, by: str
) -> tuple[WordSets, str, str]:
    """The words of two groups: two lists by name, or ``names`` or ``words`` of both groups."""
    if not second:
        source = {"names": concept.names, "words": concept.words}.get(first)
        if source is None:
            raise ExpressionError(
                f'{by}({first}) should be {by}(names), {by}(words) or {by}(list, "other list").'
            )
        groups = two_groups(concept, by)
        if any(group not in source for group in groups):
            raise ExpressionError(f'"{concept.name}" has no {first} for its groups.')
        lists = {group: source[group].all_words for group in groups}
    elif first == second:
        raise ExpressionError(f'{by} compares two lists, but "{first}" was given twice.')
    else:
        lists = {name: concept.list(name).all_words for name in (first, second)}
    sides = tuple(lists)
    return resolve(space, lists, policy), sides[0], sides[1]


def table_rows(
    space: Space, table: WordList, policy: WordPolicy, *, unit_length: bool
) -> tuple[Array, tuple[WordUse, ...]]:
    """The vectors of a table, rows × columns × d; rows with a missing word are dropped."""
    rows = [[str(cell) for cell in row] for row in table.rows]
    whole, forms, use = whole_rows(space, table.name, rows, policy)
    if not len(whole):
        raise MissingWordsError({table.name: use.missing}, space.name)
    matrix = space.rows([word for row in forms for word in row]).astype(np.float64)
    cube = matrix.reshape(len(whole), len(table.columns), -1)
    if unit_length:
        lengths = np.linalg.norm(cube, axis=2, keepdims=True)
        if not lengths.all():
            raise DegenerateSubspaceError(
                f"{table.name} contains a word with the zero vector in {space.name}. Remove it."
            )
        cube = cube / lengths
    used = tuple(word for place in whole.tolist() for word in rows[place])  # repeats stay
    return cube, (replace(use, used=used),)


def subspace_from_rows(
    rows: Array, k: int, scale: float, estimator: str, uses: tuple[WordUse, ...]
) -> Subspace:
    """The first ``k`` principal axes of rows that are already differences."""
    axes, values = principal_axes(rows)
    if k > len(values) or values[k - 1] <= 1e-6 * values[0]:
        independent = int((values > 1e-6 * values[0]).sum()) if values[0] else 0
        raise DegenerateSubspaceError(
            f"{estimator} requests {k} components, but its words give only {independent} "
            f"independent ones. Request fewer, or add words."
        )
    power = values**2
    return Subspace(
        basis=axes[:k],
        estimator=estimator,
        strength=float(values[k - 1] / np.sqrt(len(rows)) / scale),
        explained=tuple((power / power.sum())[:10].tolist()),
        words=uses,
    )


def oriented(subspace: Subspace, towards: Array) -> Subspace:
    """The subspace with each axis oriented along ``towards``."""
    signs = np.where(subspace.basis @ towards < 0, -1.0, 1.0)
    return replace(subspace, basis=subspace.basis * signs[:, None])


def mean_length(matrix: Array) -> float:
    """The mean length of vectors, the scale for judging a separation."""
    length = float(np.linalg.norm(matrix, axis=-1).mean())
    if length == 0.0:
        raise DegenerateSubspaceError("All given words have the zero vector. Use other words.")
    return length
