"""Principal axes: of pairs or tuples, each centred on its own mean, or of one set of words."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.example import Example
from unslant.core.parameters import at_least
from unslant.numerics.linalg import axes_of_moments, difference_moments
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.subspace import (
    Subspace,
    group_sets,
    mean_length,
    oriented,
    subspace_from_rows,
    table_rows,
)
from unslant.vectors import Space


@subspace_estimator(
    "pair-pca",
    cites="bolukbasi-2016",
    misleads="The first axis is the attribute only if it dominates the pairs: compare the "
    "shares of variance with those of random pairs, and see how much the axis "
    "changes without one pair.",
)
@dataclass(frozen=True)
class PairPCA:
    """Principal axes of pairs: top right-singular vectors of a − c and b − c, c = (a + b)/2.

        G = top right-singular vectors of the rows a − c and b − c,  c = (a + b)/2

    ``pairs`` names a table of the concept. Tuples of more than two groups are centred on their
    own mean in the same way (Manzini et al. 2019). Vectors are scaled to length 1 first, as in
    the published code. The first column is on the positive side.
    """

    pairs: str = "definitional"
    k: Annotated[int, at_least(1)] = 1
    unit_length: bool = True

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace."""
        table = concept.table(self.pairs)
        cube, uses = table_rows(space, table, policy, unit_length=self.unit_length)
        centred = cube - cube.mean(axis=1, keepdims=True)
        rows = centred.reshape(-1, cube.shape[2])
        raw = "" if self.unit_length else ", unit_length=false"
        name = f"pair-pca({self.pairs}, k={self.k}{raw})"
        subspace = subspace_from_rows(rows, self.k, mean_length(cube), name, uses)
        return oriented(subspace, centred[:, 0].mean(axis=0))


@subspace_estimator(
    "set-pca",
    cites="dev-2020",
    example=Example(call="set-pca(demonyms-train)", concept="nationality"),
    misleads="The first axis is what the words differ in most, which may be frequency or "
    "region rather than the attribute. It has no sides, so only sizes of "
    "projections mean something.",
)
@dataclass(frozen=True)
class SetPCA:
    """Principal axes of a set of words, such as ``set-pca(demonyms-train, k=1)``.

        G = top right-singular vectors of w − mean(w) over the words w of the set

    For attributes without natural pairs. The set is centred by default: its axes then show how
    its words differ from each other, not what they have in common. The sign is a convention (the
    largest component is positive), because a set has no groups.
    """

    words: str
    k: Annotated[int, at_least(1)] = 1
    centred: bool = True

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace."""
        sets = resolve(space, {self.words: concept.list(self.words).all_words}, policy)
        matrix = sets.matrix(self.words)
        rows = matrix - matrix.mean(axis=0) if self.centred else matrix
        raw = "" if self.centred else ", centred=false"
        name = f"set-pca({self.words}, k={self.k}{raw})"
        return subspace_from_rows(rows, self.k, mean_length(matrix), name, sets.uses)


# Principal axes of all differences between the names of two groups.


@subspace_estimator(
    "names",
    cites="dawkins-2021",
    misleads="First names also carry age, region and ethnicity, and common names are of one "
    "country: the axes are not gender alone. Later axes describe how names differ "
    "within a group.",
)
@dataclass(frozen=True)
class NamesDifferences:
    """Principal axes of f − m over all pairs of names f, m, with shares of variance as weights.

        gᵢ = principal axes of f − m over all pairs of names,  aᵢ = share of variance of gᵢ

    Centring the differences would remove the difference of the means, which is the direction that
    separates the groups, so they are not centred by default. Each axis points to the first
    group's mean.
    """

    k: Annotated[int, at_least(1)] = 4
    centred: bool = False

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the subspace."""
        sets, a, b = group_sets(space, concept, "names", "", policy, "names")
        first, second = sets.matrix(a), sets.matrix(b)
        axes, values = axes_of_moments(difference_moments(first, second, centred=self.centred))
        name = f"names(k={self.k}{', centred=true' if self.centred else ''})"
        if self.k > len(values) or values[self.k - 1] <= 1e-12 * values[0]:
            raise DegenerateSubspaceError(
                f"{name} requests {self.k} components, but the names give fewer independent "
                f"ones. Request fewer, or add names."
            )
        pairs = len(first) * len(second)
        scale = (mean_length(first) + mean_length(second)) / 2
        subspace = Subspace(
            basis=axes[: self.k],
            estimator=name,
            strength=float(np.sqrt(values[self.k - 1] / pairs) / scale),
            explained=tuple((values / values.sum())[:10].tolist()),
            words=sets.uses,
        )
        return oriented(subspace, first.mean(axis=0) - second.mean(axis=0))
