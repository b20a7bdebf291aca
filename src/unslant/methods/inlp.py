"""Iterative null-space projection: remove what a classifier uses until none finds anything."""

from typing import Annotated, Literal

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import UndefinedMeasureError
from unslant.core.parameters import at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.erasers import EachVector, linear_map, projection
from unslant.measures.registry import SPACE
from unslant.methods.labelled_words import (
    JUDGE,
    SHARES,
    TRAIN,
    Labels,
    On,
    best_accuracy,
    chance_of,
    held_out_accuracies,
    scale_of,
    support_vectors,
    words_for,
)
from unslant.methods.method import ANY_VECTORS, PROJECTION, FitSetting, Fitted, debiaser
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.linalg import outside_common_null_space, row_space
from unslant.numerics.strata import split_by_shares
from unslant.subspaces.most_biased import FEWEST
from unslant.vectors import Space

NEAR_CHANCE = 0.01
CALM_ROUNDS = 3
LUCK = 0.05
"""A round this far over the limit cannot be one of three that are near chance on average."""
FEWEST_EACH = 10


@debiaser(
    "inlp",
    cites="ravfogel-2020",
    guarantees=PROJECTION,
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="It protects only against linear classifiers that learn from the words it was "
    "trained on; a curved boundary may still find the attribute. Each round costs "
    "dimensions, so many rounds remove much besides the attribute: check the "
    "quality benchmarks.",
)
class Inlp:
    """Iterative null-space projection: train, project out what was used, and train again.

        P = projection on the null space of W₁, …, W_n;  w' = P w

    Each round trains a linear support vector machine without intercept on the projected vectors
    of labelled words; Rᵢ projects on the row space of its weights, and P on what all null spaces
    share. It ends when linear classifiers (the best of this one, one with intercept and logistic
    regression) are at most a point better than always predicting one label, on validation words and
    averaged over three rounds, since one round near chance can be luck; and after ``rounds`` at
    most. The paper does 35 rounds without checking, but three labels cost three dimensions per
    round, so that would exhaust a space of 100 dimensions.

    Labels are as in the paper: the ``n`` words that lean most to each group along ``subspace`` (or
    the concept's own direction), and as many ``neutral`` ones as a separate class; without these a
    round costs one dimension for two groups. ``on`` can be "words" or "names" of the groups
    instead. Words are split 49/21/30 into training, validation and held-out words, with unchanged
    vectors. With ``weights`` "information" no direction is removed completely: w − Σ aᵢ Rᵢ w with
    aᵢ = |accᵢ − chance|/(1 − chance) (Dawkins 2021), which is |2 accᵢ − 1| for two labels. The
    accuracy learned from held-out words, a few points higher, shows what remains.
    """

    rounds: Annotated[int, at_least(1)] = 60
    n: Annotated[int, at_least(FEWEST)] = 7_500
    weights: Literal["none", "information"] = "none"
    neutral: bool = True
    on: On = "leaning"
    subspace: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Train round by round."""
        words = words_for(self, "inlp", vectors, concept, setting.policy, at_least=FEWEST_EACH)
        rows = words.features(vectors)
        part = split_by_shares(words.labels, SHARES, generator(self.seed, "inlp"))
        with one_blas_thread():  # products are small, so threads would only wait for each other
            bases, accuracies, told = self._rounds(rows, words.labels, part, setting)
        if not bases:
            raise UndefinedMeasureError(
                f"inlp found no direction of {concept.name} that it could remove from the "
                f"{vectors.dim} dimensions of {vectors.name}. Use vectors of more dimensions."
            )
        basis = outside_common_null_space(bases, vectors.dim)
        matrix = np.eye(vectors.dim) - basis.T @ basis
        chance = chance_of(words.labels[part == JUDGE])
        transform = linear_map(matrix)
        if self.weights == "information":
            shares = np.abs(np.array(accuracies[: len(bases)]) - chance) / (1 - chance)
            each = np.repeat(np.minimum(shares, 1), [len(b) for b in bases])
            transform = projection(np.concatenate(bases), each)
            matrix = transform.matrix
        return Fitted(
            steps=(EachVector(transform),),
            removed=basis if self.weights == "none" else None,
            words=words.uses,
            details={
                "rounds": len(bases),
                "dimensions-removed": len(basis),
                "dimensions-left": vectors.dim - len(basis),
                "accuracy-by-round": ", ".join(f"{accuracy:.3f}" for accuracy in accuracies),
                **held_out_accuracies(rows, rows @ matrix, words.labels, part, self.seed),
                **words.details,
            },
            warnings=words.warnings + told,
        )

    def _rounds(
        self, rows: Array, labels: Labels, part: Labels, setting: FitSetting
    ) -> tuple[list[Array], list[float], tuple[str, ...]]:
        """A basis of what each round removed, the validation accuracies, and warnings."""
        dim = rows.shape[1]
        train, judge = part == TRAIN, part == JUDGE
        chance = chance_of(labels[judge])
        limit = chance + NEAR_CHANCE
        scaled = rows / scale_of(rows)
        projector = np.eye(dim)
        bases: list[Array] = []
        accuracies: list[float] = []
        best: list[float] = []
        while True:
            if setting.progress is not None:
                setting.progress("rounds of inlp", len(bases), self.rounds)
            left = scaled @ projector
            machine = support_vectors(left[train], labels[train], intercept=False)
            accuracies.append(float(machine.score(left[judge], labels[judge])))
            # Below chance is luck too, and must not compensate for a round above it.
            best.append(max(accuracies[-1], chance))
            if best[-1] <= limit + LUCK:  # the others take longer and are not needed before
                other = best_accuracy(left[train], labels[train], left[judge], labels[judge])
                best[-1] = max(best[-1], other)
            is_calm = len(best) > CALM_ROUNDS and np.mean(best[-CALM_ROUNDS:]) <= limit
            basis = row_space(machine.coef_ @ projector)
            has_learned = np.abs(machine.coef_).max() > 1e-9
            if not has_learned or is_calm:
                return bases, accuracies, ()
            is_full = sum(map(len, bases)) + len(basis) >= dim
            if len(bases) == self.rounds or is_full:
                why = "no dimension is left to remove" if is_full else "the rounds are used up"
                told = (
                    f"{why}, and a linear classifier still has an accuracy of {best[-1]:.3f} "
                    f"(chance is {chance:.3f})",
                )
                return bases, accuracies, told if best[-1] > limit else ()
            bases.append(basis)
            gone = outside_common_null_space(bases, dim)
            projector = np.eye(dim) - gone.T @ gone
