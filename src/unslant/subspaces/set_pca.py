"""Principal axes of one set of words."""

from dataclasses import dataclass
from typing import Annotated

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.parameters import at_least
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import mean_length, subspace_from_rows
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@subspace_estimator("set-pca", cites="dev-2020")
@dataclass(frozen=True)
class SetPCA:
    """Principal axes of a set of words, such as ``set-pca(demonyms-train, k=1)``.

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
        name = f"set-pca({self.words}, k={self.k})"
        return subspace_from_rows(rows, self.k, mean_length(matrix), name, sets.uses)
