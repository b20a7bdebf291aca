"""BAM: move every word halfway towards its position after aligning two lists."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.erasers import EachVector, linear_map
from unslant.measures.registry import SPACE
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.subspaces.subspace import group_sets, table_rows
from unslant.vectors import Space

# Orthogonal Procrustes if the rows do not determine the solution.

_RANK = 1e-12


@dataclass(frozen=True, eq=False)
class Alignment:
    """An orthogonal W for rows, x → x W, and how much of it the data determine.

    ``rank`` dimensions are determined by the data. ``is_unique`` is False if several optimal
    maps are equally close to the identity, so that one of them was chosen.
    """

    matrix: Array
    rank: int
    is_unique: bool


def nearest_alignment(moments: Array) -> Alignment:
    """Of the orthogonal W that minimise ‖A W − B‖ for A'B = ``moments``, the nearest to I.

    With A'B = UΣV' of rank r (U, V of r columns), W is optimal if it takes U to V; it may map the
    complement of U to that of V in any way. If r < d, a library's UV' contains an arbitrary
    completion. The nearest to the identity is the identity outside the span of
    U and V, and inside it the completion Z = PQ' where U₀'V₀ = PSQ' for bases U₀, V₀ of the two
    complements. This is the limit of the polar factor of A'B + εI.
    """
    left, values, right = np.linalg.svd(moments)
    rank = int((values > _RANK * values[0]).sum()) if values[0] > 0 else 0
    taken, given = left[:, :rank], right[:rank].T
    joint, sizes, _ = np.linalg.svd(np.hstack([taken, given]), full_matrices=False)
    span = joint[:, sizes > _RANK]
    inner, is_unique = _completed(span.T @ taken, span.T @ given)
    matrix = np.eye(len(moments)) + span @ (inner - np.eye(span.shape[1])) @ span.T
    return Alignment(np.asarray(matrix), rank, is_unique)


def _completed(taken: Array, given: Array) -> tuple[Array, bool]:
    """The orthogonal matrix nearest to I that takes orthonormal columns to orthonormal columns."""
    size, rank = taken.shape
    if rank == size:
        return np.asarray(taken @ given.T), True
    rest_taken = np.linalg.svd(taken)[0][:, rank:]
    rest_given = np.linalg.svd(given)[0][:, rank:]
    p, overlaps, q = np.linalg.svd(rest_taken.T @ rest_given)
    matrix = taken @ given.T + rest_taken @ (p @ q) @ rest_given.T
    return np.asarray(matrix), bool(overlaps[-1] > 1e-8)


def rotation_angles(matrix: Array) -> Array:
    """The angles in radians, from 0 to π, by which an orthogonal matrix rotates, largest first."""
    return np.sort(np.abs(np.angle(np.linalg.eigvals(matrix))))[::-1]


_MAPS = {"uv": "orthogonal Procrustes", "v": "only the right factor, as in the released code"}


@debiaser(
    "bam",
    cites="lauscher-2020",
    guarantees={"linear", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="With all pairs of two lists, W is determined in one plane only, and the means "
    'of the groups stay nearly as far apart as before: check "gap left" in the '
    "details before you call the result debiased.",
)
class Bam:
    """Bias alignment: halfway towards where the orthogonal map of T₁ to T₂ takes a word.

        w' = ½(w + w W),  W = argmin ‖A W − B‖ over orthogonal W

    The rows of A and B are all pairs of a word in T₁ and a word in T₂, not scaled. ``first`` and
    ``second`` name the two lists as for gbdd; ``pairs`` names a table of two columns instead, whose
    rows are the pairs.

    With all pairs, A'B is the product of two sums and has rank 1: W must take one mean's
    direction to the other's and is otherwise undetermined. The published W = UV' then depends on
    how a linear algebra library completes the factors; with LAPACK it rotates the rest of the space
    by about 90°, so that words have a cosine of .71 with themselves (GloVe, 100 dimensions),
    regardless of the attribute. Here W is the optimal map closest to the identity, which rotates
    only in the plane of the two means (if their angle θ is over 90°, it reflects). Little remains
    of the method: ½(w + w W) rotates that plane by θ/2 and shrinks it by cos(θ/2), and the means
    stay nearly as far apart as before; "gap left" in the details says how far. ``pairs`` with n
    rows determine up to n dimensions.

    ``procrustes="v"`` uses V' as W, as in the authors' released code. It aligns nothing, and
    depends on the library if the pairs do not determine it.
    """

    first: str = "words"
    second: str = ""
    pairs: str = ""
    procrustes: Literal["uv", "v"] = "uv"

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Align the two lists."""
        moments, means, uses = self._aligned_words(vectors, concept, setting.policy)
        alignment = nearest_alignment(moments)
        if alignment.rank == 0:
            raise DegenerateSubspaceError(
                f"bam has nothing to align in {vectors.name}: the mean of one list is zero. Use "
                f"other words."
            )
        turn = alignment.matrix if self.procrustes == "uv" else np.linalg.svd(moments)[2]
        matrix = (np.eye(vectors.dim) + turn) / 2
        warnings: tuple[str, ...] = ()
        if self.procrustes == "v" and alignment.rank < vectors.dim:
            warnings += (f"the words determine {alignment.rank} of {vectors.dim} dimensions of V",)
        if self.procrustes == "uv" and not alignment.is_unique:
            warnings += ("several optimal maps are equally close to the identity; one was chosen",)
        gap = means[0] - means[1]
        length = float(np.linalg.norm(gap))
        return Fitted(
            steps=(EachVector(linear_map(matrix)),),
            words=uses,
            details={
                "map": _MAPS[self.procrustes],
                "dimensions-determined": alignment.rank,
                "largest-angle-in-degrees": float(np.degrees(rotation_angles(turn)[0])),
                "largest-error-of-WW'": float(np.abs(turn @ turn.T - np.eye(len(turn))).max()),
                "gap-left": float(np.linalg.norm(gap @ matrix)) / length if length else None,
            },
            warnings=warnings,
        )

    def _aligned_words(
        self, vectors: Space, concept: Concept, policy: WordPolicy
    ) -> tuple[Array, Array, tuple[WordUse, ...]]:
        """A'B, the two means, and the word use."""
        if self.pairs:
            table = concept.table(self.pairs)
            if len(table.columns) != 2:
                raise ExpressionError(
                    f'bam aligns two groups, but "{self.pairs}" in "{concept.name}" has '
                    f"{len(table.columns)} columns. Use a table of pairs."
                )
            cube, uses = table_rows(vectors, table, policy, unit_length=False)
            return cube[:, 0].T @ cube[:, 1], cube.mean(axis=0), uses
        sets, a, b = group_sets(vectors, concept, self.first, self.second, policy, "bam")
        means = np.array([sets.matrix(side).mean(axis=0) for side in (a, b)])
        return np.outer(means[0], means[1]), means, sets.uses
