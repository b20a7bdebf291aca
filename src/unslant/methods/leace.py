"""LEACE and SAL: remove all covariance with the labels, in closed form."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import UndefinedMeasureError
from unslant.core.parameters import SHARE, at_least
from unslant.core.seeds import generator
from unslant.erasers import EachVector, LowRank, projection
from unslant.measures.registry import SPACE
from unslant.methods.labelled_words import (
    HELD_OUT,
    TRAIN,
    Labels,
    On,
    held_out_accuracies,
    words_for,
)
from unslant.methods.method import ANY_VECTORS, PROJECTION, FitSetting, Fitted, debiaser
from unslant.numerics.erasure import erasure, indicators
from unslant.numerics.strata import split_by_shares
from unslant.subspaces.most_biased import FEWEST
from unslant.vectors import Space

FEWEST_HELD_OUT = 10
"""With fewer words per class than this to hold out, an accuracy would say nothing."""


@debiaser(
    "leace",
    cites="belrose-2023",
    guarantees={"affine", "idempotent", "needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="The guarantee is for linear classifiers and for the words it was fitted on. "
    "The attribute may still be found in other words (see the accuracy learned from "
    "held-out words) and by a classifier with a curved boundary.",
)
class Leace:
    """Least-squares concept erasure: the smallest change that leaves linear classifiers nothing.

        x' = x − W⁺ U Uᵀ W (x − μ),  W = Σxx^(−1/2),  U = orthonormal basis of W Σxz

    U is an orthonormal basis of these columns, and z are indicators of the labels. On the words it
    is fitted on the covariance with every label is then 0, which means that no linear classifier
    does better than a constant one, for any convex loss; and of all affine maps with that effect it
    changes vectors least in mean square. It removes one dimension fewer than there are labels. With
    ``shrinkage`` Σxx is shrunk towards a sphere, which is safer for few words; the erasure stays
    exact, but is minimal only for the shrunk Σxx.

    Labels are as for ``inlp`` (``on``, ``n``, ``neutral``, ``subspace``), with neutral words as a
    class only on request. A share ``held_out`` of the words is kept for testing; 0 fits on all.

    Two deviations from the authors' package: it ignores singular values under 0.01, which leaves
    some covariance, while we erase everything up to rounding; and it limits the trace of the
    covariance, which P Σ Pᵀ = Σ − W⁺ U Uᵀ W⁺ shows can never grow.
    """

    on: On = "leaning"
    n: Annotated[int, at_least(FEWEST)] = 7_500
    neutral: bool = False
    shrinkage: bool = True
    held_out: Annotated[float, SHARE] = 0.3
    subspace: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Solve for the map."""
        return _erased("leace", self, vectors, concept, setting, shrinkage=self.shrinkage)


@debiaser(
    "sal",
    cites="shao-2023",
    guarantees=PROJECTION,
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="The guarantee is for linear classifiers and for the words it was fitted on. It "
    "removes the difference of the means whatever else is in it, so it changes "
    "vectors more than leace does.",
)
class Sal:
    """Spectral attribute removal: project out the directions that covary with the labels.

        x' = x − U Uᵀ x,  U = orthonormal basis of the columns of Σxz

    U is an orthonormal basis of the columns of Σxz, the covariance of vectors with indicators z of
    the labels. It is ``leace`` without W: equally exact on the words it is fitted on, and an
    orthogonal projection, but not the smallest change. For two labels U is the difference of their
    means. Parameters are those of ``leace``.
    """

    on: On = "leaning"
    n: Annotated[int, at_least(FEWEST)] = 7_500
    neutral: bool = False
    held_out: Annotated[float, SHARE] = 0.3
    subspace: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Solve for the directions."""
        return _erased("sal", self, vectors, concept, setting)


def _erased(
    by: str,
    method: Leace | Sal,
    vectors: Space,
    concept: Concept,
    setting: FitSetting,
    *,
    shrinkage: bool = False,
) -> Fitted:
    words = words_for(method, by, vectors, concept, setting.policy)
    part, told = _parts(by, words.labels, method.held_out, method.seed)
    rows, seen = words.features(vectors), part == TRAIN
    is_sal = isinstance(method, Sal)
    targets = indicators(words.labels[seen])
    eraser = erasure(rows[seen], targets, whitened=not is_sal, shrinkage=shrinkage)
    if not len(eraser.read):
        raise UndefinedMeasureError(
            f"{by} found nothing to erase: the words of {', '.join(words.classes)} have the same "
            f"mean. Use other words."
        )
    if is_sal:
        step = projection(eraser.read)
        after = rows @ step.matrix
    else:
        step = LowRank(eraser.read, eraser.write, (eraser.mean @ eraser.read.T) @ eraser.write)
        after = eraser.apply(rows)
    spread = float(((rows - rows.mean(axis=0)) ** 2).sum())
    return Fitted(
        steps=(EachVector(step),),
        removed=eraser.read if is_sal else None,
        words=words.uses,
        details={
            "dimensions-removed": len(eraser.read),
            "words-fitted-on": int(seen.sum()),
            "share-of-variance-changed": float(((after - rows) ** 2).sum()) / spread,
            **held_out_accuracies(rows, after, words.labels, part, method.seed),
            **words.details,
        },
        warnings=words.warnings + told,
    )


def _parts(by: str, labels: Labels, share: float, seed: int) -> tuple[Labels, tuple[str, ...]]:
    """Which words are held out, and a warning if there are too few."""
    none = np.full(len(labels), TRAIN)
    if share == 0:
        return none, ()
    if share * min(np.bincount(labels)) < FEWEST_HELD_OUT:
        return none, ("fitted on all words: there are too few to hold any out",)
    drawn = split_by_shares(labels, (1 - share, share), generator(seed, by))
    return np.where(drawn == 1, HELD_OUT, TRAIN), ()
