"""An estimated subspace; creating it fails if the words do not determine it."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordList, WordPolicy, WordSets, resolve
from unslant.concepts.wordsets import whole_rows
from unslant.core.errors import DegenerateSubspaceError, ExpressionError, MissingWordsError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.numerics.linalg import principal_axes, projected_out
from unslant.vectors import Space

WEAKEST = 1e-4
"""Below this separation, relative to the words' length, rounding determines the direction."""
WEAK = 1e-2
"""Below this separation the direction has a warning."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subspace:
    """An orthonormal basis (k × d) and how it was estimated.

    ``strength`` is the separation along the last axis kept, relative to the mean length of the
    words; ``explained`` are shares of variance of all axes, ``weights`` those of the axes kept.
    """

    basis: Array
    estimator: str
    strength: float | None = None
    explained: tuple[float, ...] = ()
    words: tuple[WordUse, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        basis = np.atleast_2d(np.asarray(self.basis, dtype=np.float64))
        if not np.allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-8):
            raise ValueError("The basis of a subspace must be orthonormal.")
        basis.flags.writeable = False
        object.__setattr__(self, "basis", basis)
        if self.strength is None:
            return
        if not self.strength >= WEAKEST:
            raise DegenerateSubspaceError(
                f"{self.estimator} gives no direction: the separation of the words is only "
                f"{self.strength:.1e} of their length, which is rounding error. Use other words or "
                f"pairs, or fewer components."
            )
        if self.strength < WEAK:
            warning = f"the separation is only {self.strength:.1e} of the words' length"
            if warning not in self.warnings:  # a copy already has it
                object.__setattr__(self, "warnings", (*self.warnings, warning))

    @property
    def k(self) -> int:
        """The number of dimensions."""
        return len(self.basis)

    def one_axis(self, by: str) -> Array:
        """The direction of a one-dimensional subspace; ``by`` is the component that needs it."""
        if self.k > 1:
            raise ExpressionError(
                f"{by} compares words along one direction, but {self.estimator} has {self.k}. "
                f'Use one direction, as in {by}(subspace="two-means(first, second)") with two '
                f"lists of the concept."
            )
        return np.asarray(self.basis[0])

    @property
    def weights(self) -> tuple[float, ...]:
        """The share of variance of each axis kept."""
        return self.explained[: self.k] or (1.0,) * self.k

    def project_out(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows without their component in this subspace."""
        return projected_out(matrix, self.basis)


# Functions shared by several estimators: pairs of words in a space, and axes from rows.


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
