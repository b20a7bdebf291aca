"""The Word Embedding Association Test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import AssociationTest, WordPolicy, WordSets, resolve
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement, PValue
from unslant.core.seeds import generator
from unslant.metrics.metric import metric
from unslant.numerics.permutation import permutation_test
from unslant.vectors import WordVectors

Array = NDArray[np.float64]

SMALLEST_SPREAD = 1e-9
"""Cosines of float32 vectors are not known to more digits than this."""


@metric(
    "weat",
    cites="caliskan-2017",
    takes="test",
    better="closer to 0",
    range="about −2 to 2",
    misleads="Small word sets give large effects by chance, and the choice of words can force a "
    "result (Ethayarajh et al. 2019). The effect size is relative to the spread of the target "
    "words, so a space with little spread can show a large effect from tiny differences.",
)
@dataclass(frozen=True, kw_only=True)
class Weat:
    """Do two target sets differ in their association with two attribute sets?

    s(w) = mean cos(w, A1) − mean cos(w, A2); the effect size is
    d = (mean of s over T1 − mean of s over T2) / sd of s over T1 ∪ T2.

    ``ddof`` 1 takes the sample standard deviation (as Caliskan et al. and May et al. do), 0 the
    population one, which bounds d by ±2. The p-value is a permutation test over splits of the
    targets into sets of the same sizes.
    """

    ddof: int = 1
    alternative: str = "two-sided"
    resamples: int = 100_000
    seed: int = 0

    def measure(
        self, vectors: WordVectors, subject: AssociationTest, policy: WordPolicy
    ) -> Measurement:
        """The effect size with its p-value."""
        t1, t2 = _two(subject, "targets")
        a1, a2 = _two(subject, "attributes")
        lists = {**subject.targets, **subject.attributes}
        words = {name: item.all_words for name, item in lists.items()}
        sets = resolve(vectors, words, policy, balance=((t1, t2), (a1, a2)))
        _refuse_overlap(sets, t1, t2)
        first, second = (_associations(sets, target, a1, a2) for target in (t1, t2))
        pooled = np.concatenate([first, second])
        spread = float(pooled.std(ddof=self.ddof)) if len(pooled) > self.ddof else 0.0
        difference = float(first.mean() - second.mean())
        is_defined = spread > SMALLEST_SPREAD
        return Measurement(
            metric="weat",
            title=subject.title,
            value=difference / spread if is_defined else None,
            why_undefined="" if is_defined else "the target words all have the same association",
            better="closer to 0",
            p=self._p_value(first, second, subject) if is_defined else None,
            details={
                "difference of mean associations": difference,
                "sd of associations": spread,
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "set": target, "association": float(score)}
                for target, scores in ((t1, first), (t2, second))
                for word, score in zip(sets.words(target), scores, strict=True)
            ),
        )

    def _p_value(self, first: Array, second: Array, subject: AssociationTest) -> PValue:
        test = permutation_test(
            first,
            second,
            generator(self.seed, "weat", subject.content_hash),
            alternative=self.alternative,
            resamples=self.resamples,
        )
        return PValue(
            value=test.p_value, how=test.how, alternative=self.alternative, outcomes=test.outcomes
        )


def _associations(sets: WordSets, target: str, a1: str, a2: str) -> Array:
    """s(w) of every word of a target set: one product with each mean attribute direction."""
    contrast = sets.directions(a1).mean(axis=0) - sets.directions(a2).mean(axis=0)
    return np.asarray(sets.directions(target) @ contrast)


def _two(subject: AssociationTest, kind: str) -> tuple[str, str]:
    names = tuple(getattr(subject, kind))
    if len(names) != 2:
        raise UndefinedMeasureError(
            f"WEAT compares two {kind}, but {subject} has {len(names)}. Choose another test."
        )
    return names


def _refuse_overlap(sets: WordSets, t1: str, t2: str) -> None:
    both = np.intersect1d(sets.rows[t1], sets.rows[t2])
    if len(both):
        word = sets.vectors.words[int(both[0])]
        raise UndefinedMeasureError(
            f'"{word}" is in both target sets, "{t1}" and "{t2}", so it cannot tell them apart. '
            f"Remove it from one of them."
        )
