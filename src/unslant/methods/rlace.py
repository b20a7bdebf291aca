"""R-LACE: the projection that hurts a linear classifier most."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import ExpressionError
from unslant.core.parameters import above, at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.erasers import EachVector, projection
from unslant.measures.registry import SPACE
from unslant.methods.labelled_words import (
    JUDGE,
    SHARES,
    TRAIN,
    Labels,
    On,
    chance_of,
    held_out_accuracies,
    logistic,
    scale_of,
    words_for,
)
from unslant.methods.method import ANY_VECTORS, PROJECTION, FitSetting, Fitted, debiaser
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.erasure import adversarial_projections, leading_axes
from unslant.numerics.strata import split_by_shares
from unslant.subspaces.most_biased import FEWEST
from unslant.vectors import Space

NEAR_CHANCE = 0.0015
EVERY = 500
FEWEST_EACH = 10


@debiaser(
    "rlace",
    cites="ravfogel-2022",
    guarantees=PROJECTION,
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="It ends when logistic regression fails on its validation words; a classifier "
    "with a curved boundary, or other words, may still find the attribute. One "
    "direction cannot hide more than one dimension of it.",
)
class Rlace:
    """Relaxed linear adversarial erasure: the few directions whose removal hurts a classifier most.

        min over θ, max over P of loss(θ; (I − P) x),  0 ≤ P ≤ I, tr P = rank;  w' = (I − P) w

    The loss is the log loss of a linear classifier θ, and P is in the Fantope (symmetric matrices
    with eigenvalues in [0, 1] that sum to ``rank``). Both are found by steps of gradient descent on
    batches of ``batch`` words with ``learning_rate`` and weight ``decay``. Every 500 steps the
    ``rank`` leading eigenvectors of P are tried: a new logistic regression is trained without them
    and evaluated on validation words. It ends when that is within 0.15 points of chance, or after
    ``iterations`` with the best result. The paper allows 75,000 iterations and evaluates with three
    classifiers trained by stochastic gradients; we train one to convergence.

    Labels are as for ``inlp`` (``on``, ``n``, ``neutral``, ``subspace``), here without neutral
    words by default. Removing one direction cannot hide more than one dimension of the attribute:
    if the accuracy stays high, use a higher rank, or ``leace``, which finds the optimum in closed
    form.
    """

    rank: Annotated[int, at_least(1)] = 1
    iterations: Annotated[int, at_least(1)] = 10_000
    batch: Annotated[int, at_least(1)] = 128
    learning_rate: Annotated[float, above(0)] = 0.005
    decay: Annotated[float, at_least(0)] = 1e-4
    on: On = "leaning"
    n: Annotated[int, at_least(FEWEST)] = 7_500
    neutral: bool = False
    subspace: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Play the game."""
        if self.rank >= vectors.dim:
            raise ExpressionError(
                f'The "rank" parameter of rlace must be between 1 and {vectors.dim - 1} for '
                f"{vectors.name}. Got {self.rank} instead."
            )
        words = words_for(self, "rlace", vectors, concept, setting.policy, at_least=FEWEST_EACH)
        rows = words.features(vectors)
        part = split_by_shares(words.labels, SHARES, generator(self.seed, "rlace"))
        with one_blas_thread():  # steps are small, so threads would only wait for each other
            basis, done, accuracy = self._played(rows, words.labels, part, setting)
        step = projection(basis)
        chance = chance_of(words.labels[part == JUDGE])
        warnings = words.warnings
        if accuracy - chance > 0.02:
            warnings += (
                f"with {self.rank} dimensions removed, a linear classifier still has an accuracy "
                f"of {accuracy:.3f} (chance is {chance:.3f})",
            )
        return Fitted(
            steps=(EachVector(step),),
            removed=basis,
            words=words.uses,
            details={
                "iterations": done,
                "dimensions-removed": self.rank,
                "accuracy-judged": accuracy,
                **held_out_accuracies(rows, rows @ step.matrix, words.labels, part, self.seed),
                **words.details,
            },
            warnings=warnings,
        )

    def _played(
        self, rows: Array, labels: Labels, part: Labels, setting: FitSetting
    ) -> tuple[Array, int, float]:
        """The best directions, the number of iterations and the validation accuracy."""
        scaled = rows / scale_of(rows)
        train, judge = part == TRAIN, part == JUDGE
        chance = chance_of(labels[judge])
        game = adversarial_projections(
            scaled[train],
            labels[train],
            self.rank,
            generator(self.seed, "rlace", "game"),
            batch=self.batch,
            learning_rate=self.learning_rate,
            decay=self.decay,
        )
        best, lowest = np.zeros((0, rows.shape[1])), np.inf
        done = 0
        for done, point in enumerate(game, 1):
            if done % EVERY and done < self.iterations:
                continue
            if setting.progress is not None:
                setting.progress("iterations of rlace", done, self.iterations)
            axes = leading_axes(point, self.rank)
            left = scaled - (scaled @ axes.T) @ axes
            probe = logistic(left[train], labels[train])
            accuracy = float(probe.score(left[judge], labels[judge]))
            if accuracy < lowest:
                best, lowest = axes, accuracy
            if lowest - chance < NEAR_CHANCE or done >= self.iterations:
                break
        return best, done, lowest
