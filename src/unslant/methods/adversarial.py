"""Adversarial debiasing: solve analogies so that no adversary can recover the attribute."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.core.errors import UndefinedMeasureError
from unslant.core.example import Example
from unslant.core.measurement import WordUse
from unslant.core.parameters import Benchmark, above, at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.datasets.benchmarks import Question, benchmark_file, read_questions
from unslant.erasers import EachVector, LowRank
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.numerics.adam import Adam
from unslant.numerics.adversary import Moments, gradients, losses
from unslant.numerics.opposition import opposed
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

FEWEST = 20
"""With fewer analogies than this the fit depends on their words, not on the space."""


@debiaser(
    "adversarial",
    cites="zhang-2018-adversarial",
    example=Example(data="analogy/google"),
    guarantees={"linear", "needs-no-words"},
    acts_on=words_only("is trained on analogies between words"),
    misleads="A game has no guaranteed outcome: the direction that W finds depends on the "
    "analogies and on when training stops, and unless W has length exactly 1 the "
    "attribute is only weakened and can be recovered by inverting the map.",
)
class Adversarial:
    """Learn W so that w − W Wᵀ w still solves analogies but no longer reveals the attribute.

        w' = w − W Wᵀ w
        L_P = ‖ŷ − d‖²,  L_A = ‖Uᵀŷ − z‖²,  ŷ = v − W Wᵀ v,  v = b − a + c
        W moves against ∇L_P − proj_{∇L_A} ∇L_P − α ∇L_A,  U against ∇L_A

    a : b :: c : d is an analogy, with vectors of length 1. The predictor's loss is L_P; an
    adversary U predicts z, the part of d in ``subspace``, from ŷ, with the loss L_A. proj takes all
    entries of W as one vector. W has as many columns as the subspace dimensions. Adam with
    ``learning_rate`` moves both. ``analogies`` is a known benchmark or a file in its format.

    Both losses are quadratic, so every step here uses the exact gradient over all analogies (the
    published method draws 1,000), and the learning rate falls linearly to 0, because predictor and
    adversary oscillate around each other (published: 2⁻¹⁶ throughout). Check the details: the game
    is in equilibrium if W is along the mean of v z, which is the direction itself only if the
    vectors spread evenly (cosine 0.5 on GloVe and on Google News). Unless W has length exactly 1,
    the map can be inverted: the attribute is weakened, not removed.
    """

    analogies: Annotated[str, Benchmark("analogy")] = "google"
    subspace: str = ""
    alpha: Annotated[float, at_least(0)] = 1.0
    learning_rate: Annotated[float, above(0)] = 2.0**-14
    steps: Annotated[int, at_least(1)] = 30_000
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Let predictor and adversary play against each other."""
        subspace = estimate(self.subspace or None, vectors, concept, setting.policy)
        questions = read_questions(benchmark_file("analogy", self.analogies))
        rows, use = _rows_of(questions, vectors, setting.policy.case)
        rows, with_zero = _without_zeros(rows, vectors)
        if len(rows) < FEWEST:
            raise UndefinedMeasureError(
                f"adversarial needs at least {FEWEST} analogies, but {vectors.name} has all four "
                f'words of only {len(rows)} of "{self.analogies}". Use another file of analogies.'
            )
        words = vectors.matrix[rows].astype(np.float64)
        words /= np.linalg.norm(words, axis=2, keepdims=True)
        v, y = words[:, 1] - words[:, 0] + words[:, 2], words[:, 3]
        moments = Moments.of(v, y, y @ subspace.basis.T)
        W, U = self._played(moments, setting)
        before, after = losses(moments, W * 0, U), losses(moments, W, U)
        cosine = _cosine(W, subspace.basis.T)
        warnings = subspace.warnings
        if cosine < 0.9:
            warnings += (
                f"the learned direction has a cosine of only {cosine:.2f} with the estimated one",
            )
        lengths = np.linalg.svd(W, compute_uv=False)
        if np.abs(lengths - 1).max() > 0.1:
            warnings += ("the training has not converged: the length of W is not close to 1",)
        return Fitted(
            steps=(EachVector(LowRank(W.T, W.T)),),
            words=(*subspace.words, use),
            details={
                "subspace": subspace.estimator,
                "analogies": len(rows),
                "analogies-with-a-zero-vector": with_zero,
                "length-of-W": float(lengths[-1]),
                "cosine-of-W-with-the-direction": cosine,
                "cosine-of-W-with-the-mean-of-v-z": _cosine(W, moments.vz),
                "error-of-the-analogies-before": before[0],
                "error-of-the-analogies-after": after[0],
                "error-of-the-adversary-by-guessing-0": moments.zz / len(U),
                "error-of-the-adversary-after": after[1],
            },
            warnings=warnings,
        )

    def _played(self, moments: Moments, setting: FitSetting) -> tuple[Array, Array]:
        d, k = moments.vz.shape
        rng = generator(self.seed, "adversarial")
        W = 0.1 * rng.normal(size=(d, k)) / np.sqrt(d)
        U = 0.01 * rng.normal(size=(k, d)) / np.sqrt(d)
        of_w, of_u = Adam(W, self.learning_rate), Adam(U, self.learning_rate)
        for step in range(self.steps):
            if setting.progress is not None and step % 1000 == 0:
                setting.progress("Playing predictor against adversary", step, self.steps)
            of_w.rate = of_u.rate = self.learning_rate * (1 - step / self.steps)
            slopes = gradients(moments, W, U)
            of_w.step(W, opposed(slopes.predictor, [slopes.adversary], [self.alpha]))
            of_u.step(U, slopes.adversary_own)
        return W, U


def _cosine(W: Array, others: Array) -> float:
    """The smallest cosine between the spaces spanned by the columns of both."""
    one, _ = np.linalg.qr(W)
    other, _ = np.linalg.qr(others)
    return float(np.linalg.svd(one.T @ other, compute_uv=False)[-1])


def _rows_of(
    questions: Sequence[Question], vectors: WordVectors, case: str
) -> tuple[NDArray[np.int64], WordUse]:
    """The rows of the four words of each complete analogy, and the word use."""
    asked = list(dict.fromkeys(w for q in questions for w in (q.a, q.b, q.c, q.d)))
    found = vectors.lookup(asked, case)
    row_of = dict(zip(found.words, found.rows.tolist(), strict=True))
    rows = np.array(
        [[row_of.get(w, -1) for w in (q.a, q.b, q.c, q.d)] for q in questions], dtype=np.int64
    )
    is_whole: NDArray[np.bool_] = np.all(rows >= 0, axis=1)
    whole = [q for q, there in zip(questions, is_whole.tolist(), strict=True) if there]
    used = {w for q in whole for w in (q.a, q.b, q.c, q.d)}
    chosen = [n for n, word in enumerate(found.words) if word in used]
    words = tuple(found.words[n] for n in chosen)
    spelt = tuple(found.forms[n] for n in chosen)
    use = WordUse(
        set="analogies",
        used=words,
        spelt=() if spelt == words else spelt,
        missing=found.missing,
        set_aside=tuple(word for word in found.words if word not in used),
    )
    return rows[is_whole], use


def _without_zeros(rows: NDArray[np.int64], vectors: WordVectors) -> tuple[NDArray[np.int64], int]:
    """Only analogies whose words all have a direction, and how many do not."""
    whole: NDArray[np.bool_] = np.all(np.any(vectors.matrix[rows] != 0, axis=2), axis=1)
    return rows[whole], int((~whole).sum())
