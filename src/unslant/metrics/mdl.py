"""Minimum description length: how efficiently vectors encode the side that words leaned to."""

from itertools import pairwise
from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import above, at_least
from unslant.core.score import Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.classifiers import Labels, biased_words, fitted_probe, log2_probabilities
from unslant.subspaces.most_biased import FEWEST, probe_features
from unslant.vectors import WordVectors


@metric(
    "mdl",
    cites="voita-titov-2020",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=toward(1),
        range=Range(low=0, text="0 and up; 1 is no better than guessing"),
        misleads="It detects what a logistic regression can learn, not what only a nonlinear "
        "boundary separates. It depends on the number of words, so compare equal numbers.",
    ),
)
class Mdl:
    """Compression of the sides that words leaned to before, when their vectors are known.

        L = t₁ log₂ K − Σᵢ log₂ pᵢ(labels tᵢ+1 … tᵢ₊₁ | their vectors),  tᵢ₊₁ = 2 tᵢ
        compression = n log₂ K / L for n labels of K = 2 sides

    L is the length of the online code: the first t₁ = ``first`` labels cost 1 bit each; then pᵢ, a
    logistic regression trained on the first tᵢ labels, encodes as many again, and so on. The value
    is the length of the uniform code divided by L. Words and labels are those of recoverability
    (``n`` per side, ``vocabulary``, ``subspace``), in a random order that alternates between the
    sides. The control task encodes random labels.

    ``c`` is the inverse strength of regularisation on vectors of length 1. Weak regularisation
    encodes clear sides in fewer bits and unclear ones in more; 10 is a compromise.
    """

    subspace: str = ""
    n: Annotated[int, at_least(FEWEST)] = 2_500
    first: Annotated[int, at_least(2)] = 32
    c: Annotated[float, above(0)] = 10.0
    vocabulary: Annotated[int, at_least(1)] = 50_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The compression, with the code length of each portion."""
        title = f"Compression of the sides of {subject.name} by the vectors"
        try:
            biased = biased_words(self, "mdl", vectors, subject, setting)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        rng = generator(self.seed, "mdl")
        half = len(biased) // 2
        order = np.stack([rng.permutation(half), half + rng.permutation(half)], axis=1).ravel()
        rows, labels = probe_features(vectors, biased.rows[order]), biased.is_positive[order]
        ends = _portions(len(rows), self.first)
        bits, warnings = _online_code(rows, labels, ends, self.c)
        # Assigned within adjacent pairs, so that every portion has both labels.
        dealt = (labels.reshape(-1, 2) ^ (rng.random((half, 1)) < 0.5)).ravel()
        control, _ = _online_code(rows, dealt, ends, self.c)
        return Measurement(
            title=title,
            value=len(rows) / sum(bits),
            details={
                "code-length-in-bits": sum(bits),
                "uniform-code-in-bits": len(rows),
                "compression-of-random-labels": len(rows) / sum(control),
                "bits-saved-against-random-labels": sum(control) - sum(bits),
                **biased.details,
            },
            words=biased.uses,
            points=tuple(
                {"words-known": begin, "words-coded": end - begin, "bits": cost, "control": other}
                for begin, end, cost, other in zip(
                    [0, *ends[:-1]], ends, bits, control, strict=True
                )
            ),
            warnings=(*biased.warnings, *warnings),
        )


def _portions(total: int, first: int) -> list[int]:
    """The ends of portions: the first is given, each following one doubles the known labels."""
    ends = [min(first, total)]
    while ends[-1] < total:
        ends.append(min(2 * ends[-1], total))
    return ends


def _online_code(
    rows: Array, labels: Labels, ends: list[int], c: float
) -> tuple[list[float], tuple[str, ...]]:
    """The bits of each portion, the first by the uniform code of two labels."""
    bits, warnings = [float(ends[0])], set[str]()
    for known, end in pairwise(ends):
        probe, told = fitted_probe("logistic", rows[:known], labels[:known], 0, c)
        coded = log2_probabilities(probe, rows[known:end], labels[known:end])
        bits.append(float(-coded.sum()))
        warnings |= set(told)
    return bits, tuple(sorted(warnings))
