"""The Word Embedding Association Test."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from unslant.concepts import AssociationTest, WordSets
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import EFFECT_SIZE, Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import cosines, refuse_overlap, sets_of, two_of
from unslant.metrics.uncertainty import Alternative, over_words, split_p_value
from unslant.numerics.bootstrap import Indices, Statistic
from unslant.vectors import Space, WordVectors

SMALLEST_SPREAD = 1e-9
"""The precision of cosines of float32 vectors."""

RANDOM_SHARE = "share-of-random-lists-below"
FREQUENT = 10_000
"""Random words come from this many of the most frequent words, like curated word lists."""


@metric(
    "weat",
    cites="caliskan-2017",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(-2, 2, "about −2 to 2"),
        is_contrast=True,
        scale=replace(EFFECT_SIZE, random_share=RANDOM_SHARE),
        misleads="Small word sets give large effects by chance, and the choice of words can "
        "force a result (Ethayarajh et al. 2019). The effect size is relative to the spread of "
        "the target words, so a space with little spread can show a large effect from tiny "
        "differences.",
    ),
)
class Weat:
    """Do two target sets differ in their association with two attribute sets?

        s(w) = mean over a ∈ A1 of cos(w, a) − mean over a ∈ A2 of cos(w, a)
        d = (mean of s over T1 − mean of s over T2) / sd of s over T1 ∪ T2

    ``ddof`` 1 uses the sample standard deviation (as in Caliskan et al. and May et al.), 0 the
    population one, which bounds d by ±2. The p-value is a permutation test over splits of the
    targets into sets of the same sizes; ``resamples`` matters only if there are too many
    words to count all splits. ``random_lists`` random attribute sets of the same sizes, from the
    10,000 most frequent words except the test's own, show the effect of arbitrary words.

    In a test of sentences (SEAT; May et al. 2019) each word has several, which are not independent
    observations: with ``each`` = "word" a word's association is the mean over its sentences, and
    words are permuted and resampled. "sentence" is the published test, whose p-values are too
    small because it counts every sentence.
    """

    ddof: Literal[0, 1] = 1
    alternative: Alternative = "two-sided"
    resamples: Annotated[int, at_least(1)] = 100_000
    random_lists: Annotated[int, at_least(0)] = 1_000
    each: Literal["word", "sentence"] = "word"
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The effect size with its p-value, interval and influential words."""
        t1, t2 = two_of(subject, "targets", "WEAT")
        a1, a2 = two_of(subject, "attributes", "WEAT")
        sets = sets_of(space, subject, setting, each=self.each)
        refuse_overlap(sets, t1, t2)
        names, purpose = (t1, t2, a1, a2), f"weat {subject.content_hash}"
        effect = _effect(sets, names, self.ddof)
        value = float(effect(tuple(np.arange(sets.size(name))[None] for name in names))[0])
        scores = {name: _associations(sets, name, a1, a2) for name in (t1, t2)}
        measurement = Measurement(
            title=subject.title,
            value=value if np.isfinite(value) else None,
            why_undefined=""
            if np.isfinite(value)
            else "the target words all have the same association",
            warnings=self._sentence_warnings(subject),
            details={
                "difference-of-mean-associations": float(scores[t1].mean() - scores[t2].mean()),
                **({} if setting.values_only else self._null(sets, names, value, purpose)),
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "set": target, "association": float(score)}
                for target, values in scores.items()
                for word, score in zip(sets.words(target), values, strict=True)
            ),
        )
        if measurement.value is None or setting.values_only:
            return measurement
        p = split_p_value(
            scores[t1],
            scores[t2],
            alternative=self.alternative,
            resamples=self.resamples,
            seed=self.seed,
            purpose=purpose,
        )
        measurement = replace(measurement, p=p)
        return over_words(measurement, effect, sets, names, seed=self.seed, purpose=purpose)

    def _sentence_warnings(self, subject: AssociationTest) -> tuple[str, ...]:
        if self.each == "word" or subject.items == "words":
            return ()
        return (
            "as published, every sentence counts as an observation, though sentences of one word "
            "are not independent: the p-value and the interval are too small",
        )

    def _null(
        self, sets: WordSets, names: tuple[str, ...], value: float, purpose: str
    ) -> dict[str, float]:
        """The rank of the effect among those of random attribute lists."""
        if not self.random_lists or not np.isfinite(value):
            return {}
        if not isinstance(sets.space, WordVectors):  # random words come from a vocabulary
            return {}
        t1, t2, a1, a2 = names
        targets = np.concatenate([sets.directions(t1), sets.directions(t2)])
        first = sets.size(t1)

        def effects(contrasts: Array) -> Array:
            return _standardised(contrasts @ targets.T, first, self.ddof)

        share = share_of_random_lists_below(
            effects,
            abs(value),
            sets.space,
            (sets.size(a1), sets.size(a2)),
            but=[item for name in names for item in sets.items[name]],
            count=self.random_lists,
            seed=self.seed,
            purpose=purpose,
        )
        if share is None:
            return {}
        return {RANDOM_SHARE: share}


def _associations(sets: WordSets, target: str, a1: str, a2: str) -> Array:
    """s(w) of every word in a target set."""
    return np.asarray(
        cosines(sets, target, a1).mean(axis=1) - cosines(sets, target, a2).mean(axis=1)
    )


def _standardised(scores: Array, first: int, ddof: int) -> Array:
    """The effect size of each row of scores, whose first ``first`` columns are T1."""
    difference = scores[:, :first].mean(axis=1) - scores[:, first:].mean(axis=1)
    spread = scores.std(axis=1, ddof=ddof) if scores.shape[1] > ddof else np.zeros(len(scores))
    is_defined = spread > SMALLEST_SPREAD
    return np.where(is_defined, difference / np.where(is_defined, spread, 1.0), np.nan)


def _effect(sets: WordSets, names: tuple[str, ...], ddof: int) -> Statistic:
    """The effect size as a function of resampled targets and attributes."""
    t1, t2, a1, a2 = names
    table = {
        (target, attribute): cosines(sets, target, attribute)
        for target in (t1, t2)
        for attribute in (a1, a2)
    }

    def statistic(samples: tuple[Indices, ...]) -> Array:
        i1, i2, j1, j2 = samples
        columns = []
        for target, rows in ((t1, i1), (t2, i2)):
            first, second = table[target, a1], table[target, a2]
            scores = (
                weights_of(j1, first.shape[1]) @ first.T
                - weights_of(j2, second.shape[1]) @ second.T
            )
            columns.append(np.take_along_axis(scores, rows, axis=1))
        return _standardised(np.concatenate(columns, axis=1), i1.shape[1], ddof)

    return statistic


def share_of_random_lists_below(
    effects: Callable[[Array], Array],
    value: float,
    vectors: WordVectors,
    sizes: tuple[int, int],
    *,
    but: Sequence[str],
    count: int,
    seed: int,
    purpose: str,
) -> float | None:
    """The share of random pairs of attribute lists whose effect is smaller in size.

    ``effects`` takes the differences of the two lists' mean directions, a row each, and returns
    the effect of each. Lists for which it is undefined are not counted. The words ``but`` are not
    drawn: a list that contains a target word is not random. None if too few words are left or no
    list has an effect.
    """
    rng = generator(seed, "random lists", purpose)
    pool = np.setdiff1d(np.arange(min(FREQUENT, len(vectors))), vectors.words.rows_of(but))
    rows = vectors.rows_at(pool).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    directions = rows[lengths > 0] / lengths[lengths > 0][:, None]
    wanted = sum(sizes)
    if len(directions) < wanted:
        return None
    contrasts = np.empty((count, vectors.dim))
    for number in range(count):
        drawn = directions[rng.choice(len(directions), wanted, replace=False, shuffle=False)]
        contrasts[number] = drawn[: sizes[0]].mean(axis=0) - drawn[sizes[0] :].mean(axis=0)
    found = np.abs(effects(contrasts))
    found = found[np.isfinite(found)]
    return float((found < value).mean()) if len(found) else None


def weights_of(samples: Indices, size: int) -> Array:
    """How much of each sample every item is; a product with it means over resampled items."""
    flat = samples + size * np.arange(len(samples))[:, None]
    counts = np.bincount(flat.ravel(), minlength=size * len(samples))
    return np.asarray(counts.reshape(len(samples), size) / samples.shape[1])
