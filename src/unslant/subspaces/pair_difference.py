"""The difference of two words."""

from dataclasses import dataclass

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import DegenerateSubspaceError, quoted
from unslant.numerics.linalg import safe_norm, unit
from unslant.subspaces.estimator import subspace_estimator
from unslant.subspaces.fitting import mean_length
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@subspace_estimator("pair-difference", cites="bolukbasi-2016")
@dataclass(frozen=True)
class PairDifference:
    """Difference of two words, g = (a − b) / ‖a − b‖, as in ``pair-difference(she, he)``.

    It misleads if the pair differs in more than the
    attribute, as a single pair always does.
    """

    first: str
    second: str

    def fit(self, space: Space, concept: Concept, policy: WordPolicy) -> Subspace:
        """Estimate the direction."""
        name = f"pair-difference({self.first}, {self.second})"
        both = WordPolicy(missing="fail", case=policy.case)  # a pair needs both words
        lists = {self.first: [self.first], self.second: [self.second]}
        if policy.missing != "fail":
            gone = space.lookup([self.first, self.second], policy.case).missing
            if gone:
                raise DegenerateSubspaceError(
                    f"{name} gives no direction: {quoted(gone)} is missing from {space.name}. "
                    f'Use another direction, such as subspace="two-means(names)".'
                )
        sets = resolve(space, lists, both)
        a, b = sets.matrix(self.first)[0], sets.matrix(self.second)[0]
        for word, vector in ((self.first, a), (self.second, b)):
            if not vector.any():
                raise DegenerateSubspaceError(
                    f'{name} gives no direction: "{word}" has the zero vector in {space.name}. '
                    f'Use another direction, such as subspace="two-means(names)".'
                )
        length = safe_norm(a - b)
        if length == 0.0:
            raise DegenerateSubspaceError(
                f'{name} gives no direction: "{self.first}" and "{self.second}" have the same '
                f"vector in {space.name}."
            )
        return Subspace(
            basis=unit(a - b)[None],
            estimator=name,
            strength=length / (mean_length(sets.matrix(self.first)) / 2
                               + mean_length(sets.matrix(self.second)) / 2),
            explained=(1.0,),
            words=sets.uses,
        )  # fmt: skip
