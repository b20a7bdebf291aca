"""BAM: every word halfway between where it is and where aligning two lists takes it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.measurement import WordUse
from unslant.erasers import EachVector, linear_map
from unslant.erasers.transform import Array
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.numerics.procrustes import nearest_alignment, rotation_angles
from unslant.subspaces.fitting import group_sets, table_rows
from unslant.vectors import WordVectors

_MAPS = {"uv": "orthogonal Procrustes", "v": "the right factor alone, as in the released code"}


@debiaser(
    "bam", cites="lauscher-2020", guarantees={"linear", "needs-no-words"}, acts_on=ANY_VECTORS
)
@dataclass(frozen=True, kw_only=True)
class Bam:
    """Bias alignment: ½(w + w W), where W is the orthogonal map that takes T₁ nearest to T₂.

    The rows of A and B are all pairs of a word of T₁ and a word of T₂, not scaled; W minimises
    ‖A W − B‖. ``first`` and ``second`` name the two lists as for gbdd; ``pairs`` names a table of
    two columns instead, whose rows are the pairs.

    With all pairs, A'B is the product of two sums and has rank 1: W has to take one mean's
    direction to the other's and is free otherwise. The published W = UV' then depends on how a
    linear algebra library fills the factors up; with LAPACK it turns the rest of the space by 90°
    in the middle, so that words come out at a cosine of .71 with themselves (GloVe, 100
    dimensions), whatever the attribute. Here W is, of all optimal maps, the one nearest to the
    identity, which turns in the plane of the two means alone (where their angle θ is over 90°, it
    mirrors). What is left of the method is little: ½(w + w W) turns that plane by θ/2 and shrinks
    it by cos(θ/2), and the means stay apart nearly as before; "gap left" in the details says how
    far. ``pairs`` of n rows determine up to n dimensions.

    ``procrustes="v"`` takes V' for W, as the authors' released code does. It aligns nothing, and
    depends on the library where the pairs do not determine it.
    """

    first: str = "words"
    second: str = ""
    pairs: str = ""
    procrustes: Literal["uv", "v"] = "uv"

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Align the two lists."""
        moments, means, uses = self._aligned_words(vectors, concept, setting.policy)
        found = nearest_alignment(moments)
        if found.rank == 0:
            raise DegenerateSubspaceError(
                f"bam has nothing to align in {vectors.name}: the mean of one list is zero. Use "
                f"other words."
            )
        turn = found.matrix if self.procrustes == "uv" else np.linalg.svd(moments)[2]
        matrix = (np.eye(vectors.dim) + turn) / 2
        warnings: tuple[str, ...] = ()
        if self.procrustes == "v" and found.rank < vectors.dim:
            warnings += (f"the words determine {found.rank} of {vectors.dim} dimensions of V",)
        if self.procrustes == "uv" and not found.is_unique:
            warnings += ("several optimal maps are equally near the identity; one was taken",)
        gap = means[0] - means[1]
        length = float(np.linalg.norm(gap))
        return Fitted(
            steps=(EachVector(linear_map(matrix)),),
            words=uses,
            details={
                "map": _MAPS[self.procrustes],
                "dimensions-determined": found.rank,
                "largest-angle-in-degrees": float(np.degrees(rotation_angles(turn)[0])),
                "largest-error-of-WW'": float(np.abs(turn @ turn.T - np.eye(len(turn))).max()),
                "gap-left": float(np.linalg.norm(gap @ matrix)) / length if length else None,
            },
            warnings=warnings,
        )

    def _aligned_words(
        self, vectors: WordVectors, concept: Concept, policy: WordPolicy
    ) -> tuple[Array, Array, tuple[WordUse, ...]]:
        """A'B, the two means, and what became of the words."""
        if self.pairs:
            table = concept.table(self.pairs)
            if len(table.columns) != 2:
                raise ExpressionError(
                    f'bam aligns two groups, but "{self.pairs}" of "{concept.name}" has '
                    f"{len(table.columns)} columns. Name a table of pairs."
                )
            cube, uses = table_rows(vectors, table, policy, unit_length=False)
            return cube[:, 0].T @ cube[:, 1], cube.mean(axis=0), uses
        sets, a, b = group_sets(vectors, concept, self.first, self.second, policy, "bam")
        means = np.array([sets.matrix(side).mean(axis=0) for side in (a, b)])
        return np.outer(means[0], means[1]), means, sets.uses
