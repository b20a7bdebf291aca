"""Soft Debias: a linear map that trades the attribute against the geometry of the words."""

from typing import Annotated, Literal

import numpy as np

from unslant.concepts import Concept
from unslant.core.parameters import at_least
from unslant.core.types import Array
from unslant.erasers import EachVector, UnitLength, linear_map
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import pair_subspace, specific_words, use_of
from unslant.numerics.chunks import row_blocks
from unslant.numerics.erasure import soft_projection
from unslant.vectors import WordVectors


@debiaser(
    "soft",
    cites="bolukbasi-2016",
    guarantees={"needs-no-words"},
    acts_on=words_only("scales vectors to length 1 and is fitted on a whole vocabulary"),
    misleads="With the published scale and strength it changes almost nothing, and looks as "
    "if it had kept all quality. With more strength it becomes a projection, with "
    "the limits of one: neighbours and classifiers may still reveal the attribute.",
)
class SoftDebias:
    """Map words so that neutral words overlap less with the attribute and products are kept.

        T = argmin ‖(TW)ᵀ(TW) − WᵀW‖² + λ ‖(TN)ᵀ(TB)‖²;  w' = T w/‖w‖

    W are the first ``vocabulary`` words, N those of them that do not carry the attribute by
    definition, all of length 1, and B the basis of ``subspace`` (the definitional pairs' by
    default). The loss depends only on X = TᵀT; X is found in closed form if that is positive
    semidefinite, otherwise by projected gradient, and T is its symmetric root. Every word is scaled
    to length 1 and multiplied by T; it is not scaled again, which would change no cosine.

    ``strength`` is λ. With ``scale="paper"`` the terms are as printed: the first is a sum over all
    pairs of words, the second over words, so λ = 0.2 has no weight against tens of thousands of
    words and the vectors hardly change: of the square of the neutral words' part in the subspace
    ("part left" in the details) .9997 remains in GloVe and .998 in word2vec. With
    ``scale="relative"`` the terms are divided by ‖WᵀW‖² and ‖NᵀB‖², so λ means the same in every
    space and for any number of words: at λ = 1, removing the attribute completely is worth
    distorting the products by their own size.
    """

    strength: Annotated[float, at_least(0)] = 0.2
    scale: Literal["paper", "relative"] = "paper"
    subspace: str = ""
    vocabulary: Annotated[int, at_least(1)] = 50_000

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Compute the moments of the words and solve for X."""
        subspace = pair_subspace(self.subspace, vectors, concept, setting.policy)
        specific = specific_words(concept)
        apart = use_of(vectors, specific, "words not counted as neutral", setting.policy)
        neutral, others, counts = self._moments(vectors, specific)
        gram, basis = neutral + others, subspace.basis
        met = float(np.einsum("ki,ij,kj->", basis, neutral, basis))
        strength = float(self.strength)
        if self.scale == "relative" and met > 0:
            strength *= float(np.sum(gram * gram)) / met

        def report(done: int, most: int) -> None:
            if setting.progress is not None:
                setting.progress("soft: projected gradient", done, most)

        solution = soft_projection(gram, neutral, basis, strength, report)
        values, axes = np.linalg.eigh(solution.matrix)
        root = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
        after = {"part": basis @ root, "products": basis @ solution.matrix}
        left = {
            key: float(np.einsum("ki,ij,kj->", rows, neutral, rows)) / met if met > 0 else None
            for key, rows in after.items()
        }
        change = (solution.matrix - np.eye(len(gram))) @ gram
        distortion = float(np.einsum("ij,ji->", change, change) / np.sum(gram * gram))
        warnings = subspace.warnings
        if met == 0:
            warnings += ("the neutral words have no component in the subspace, so nothing changes",)
        if not solution.has_converged:
            warnings += (
                f"the projected gradient stopped early, {solution.error:.1e} from the optimum",
            )
        return Fitted(
            steps=(EachVector(UnitLength()), EachVector(linear_map(root))),
            words=(*subspace.words, apart),
            details={
                "subspace": subspace.estimator,
                "words": counts[0] + counts[1],
                "neutral-words": counts[0],
                "weight-of-the-second-term-as-printed": strength,
                "part-left": left["part"],
                "products-with-the-subspace-left": left["products"],
                "distortion-of-products": max(0.0, distortion) ** 0.5,
                "steps-of-projected-gradient": solution.steps,
            },
            warnings=warnings,
        )

    def _moments(
        self, vectors: WordVectors, specific: tuple[str, ...]
    ) -> tuple[Array, Array, tuple[int, int]]:
        """Second moments of neutral and of specific words of length 1, and how many they are."""
        count = min(self.vocabulary, len(vectors))
        rows = vectors.words.rows_of(specific)
        is_specific = np.zeros(count, dtype=bool)
        is_specific[rows[(rows >= 0) & (rows < count)]] = True
        moments = np.zeros((2, vectors.dim, vectors.dim))
        for place in row_blocks(count, 8 * vectors.dim):
            units = UnitLength().apply(vectors.matrix[place].astype(np.float64))
            for side, chosen in enumerate((~is_specific[place], is_specific[place])):
                moments[side] += units[chosen].T @ units[chosen]
        n = int(is_specific.sum())
        return moments[0], moments[1], (count - n, n)
