"""Adversarial debiasing: solve analogies so that no adversary can recover the attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
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
from unslant.datasets.benchmarks import AnalogyQuestion, benchmark_file, read_questions
from unslant.erasers import EachVector, LowRank
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.numerics.descent import Adam, opposed
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

# A predictor ŷ = v − W Wᵀ v and an adversary ẑ = U ŷ that works against it.
#
# Both losses are squares of linear functions of the data, so they and their gradients depend on
# the data only through second moments: a step over all data costs no more than its width.


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean products of inputs v with themselves, with answers y and with secrets z."""

    vv: Array
    vy: Array
    vz: Array
    yy: float
    zz: float

    @classmethod
    def of(cls, v: Array, y: Array, z: Array) -> "Moments":
        """The moments of rows."""
        n = len(v)
        return cls(
            v.T @ v / n,
            v.T @ y / n,
            v.T @ z / n,
            float(np.vdot(y, y)) / n,
            float(np.vdot(z, z)) / n,
        )


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients of the predictor's loss by W, and of the adversary's loss by W and U."""

    predictor: Array
    adversary: Array
    adversary_own: Array


def losses(moments: Moments, W: Array, U: Array) -> tuple[float, float]:
    """The mean squared error of ŷ against y per component, and that of ẑ against z."""
    kept = np.eye(len(W)) - W @ W.T
    seen = kept @ moments.vv @ kept
    of_y = np.trace(seen) - 2 * np.trace(kept @ moments.vy) + moments.yy
    of_z = np.trace(U @ seen @ U.T) - 2 * np.trace(U @ kept @ moments.vz) + moments.zz
    return float(of_y) / len(W), float(of_z) / len(U)


def gradients(moments: Moments, W: Array, U: Array) -> Gradients:
    """The gradients of both losses, for W of shape d × k and U of shape k × d."""
    vv_w, square = moments.vv @ W, W.T @ W
    of_error = vv_w - vv_w @ square - moments.vy @ W
    of_error_turned = vv_w - W @ (W.T @ vv_w) - moments.vy.T @ W
    v_miss = moments.vv @ U.T - vv_w @ (U @ W).T - moments.vz
    return Gradients(
        predictor=-2 / len(W) * (of_error + of_error_turned),
        adversary=-2 / len(U) * (v_miss @ (U @ W) + U.T @ (v_miss.T @ W)),
        adversary_own=2 / len(U) * (v_miss.T - (v_miss.T @ W) @ W.T),
    )


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
    questions: Sequence[AnalogyQuestion], vectors: WordVectors, case: str
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
