"""How neutral the answers are: net neutral, fraction neutral and thresholds (Dev et al. 2020).

Each is taken of every sentence pair before it is averaged. (The authors' script averages over
templates before it compares with the threshold; the definition in their paper does not.)
"""

from collections.abc import Sequence

import numpy as np

from unslant.core.types import Array, Mask
from unslant.datasets.nli.pairs import NEUTRAL
from unslant.numerics.bootstrap import weighted_means
from unslant.probes.nli.answer_measure import (
    THRESHOLDS,
    AnswerMeasure,
    Cells,
    Channel,
    ValueRemarks,
    is_above,
    is_most_probable,
    probability,
)
from unslant.probes.nli.pairset import PairSet


def net_neutral(pairs: PairSet) -> AnswerMeasure:
    """NN: the mean probability of neutral."""
    return average(
        pairs, probability(NEUTRAL), name="nli-net-neutral", title="Mean probability of neutral"
    )


def fraction_neutral(pairs: PairSet) -> AnswerMeasure:
    """FN: the share of pairs where neutral is the most probable, ties included."""
    return average(
        pairs,
        is_most_probable(NEUTRAL),
        name="nli-fraction-neutral",
        title="Share of pairs where neutral is most probable",
    )


def threshold_neutral(pairs: PairSet, threshold: float) -> AnswerMeasure:
    """T:τ: the share of pairs whose probability of neutral is greater than τ."""
    return average(
        pairs,
        is_above(NEUTRAL, threshold),
        name=f"nli-threshold-{threshold:g}",
        title=f"Share of pairs with neutral above {threshold:g}",
    )


def neutrality(
    pairs: PairSet, thresholds: Sequence[float] = THRESHOLDS
) -> tuple[AnswerMeasure, ...]:
    """NN, FN and T:τ for each threshold, in the order of the paper's tables."""
    return (
        net_neutral(pairs),
        fraction_neutral(pairs),
        *(threshold_neutral(pairs, threshold) for threshold in thresholds),
    )


def average(
    pairs: PairSet,
    channel: Channel,
    *,
    name: str,
    title: str,
    counted: Mask | None = None,
) -> AnswerMeasure:
    """The mean of one number of every pair, with the mean of every word as points."""
    mask = pairs.counts if counted is None else counted

    def mean(cells: Cells, premises: Array, hypotheses: Array) -> Array:
        return weighted_means(cells, premises, hypotheses, mask)[:, 0]

    def remarks(cells: Cells, seed: int) -> ValueRemarks:
        table = np.where(mask, cells[0][0], 0.0)
        points: list[dict[str, float | str]] = []
        for side, words, axis in (
            ("premise", pairs.premise_words, 1),
            ("hypothesis", pairs.hypothesis_words, 0),
        ):
            sums, sizes = table.sum(axis=axis), mask.sum(axis=axis)
            points += [
                {"side": side, "word": word, "value": float(sums[place] / sizes[place])}
                for place, word in enumerate(words)
                if sizes[place]
            ]
        return ValueRemarks(points=tuple(points))

    return AnswerMeasure(
        name=name,
        title=title,
        channels=(channel,),
        counted=mask,
        statistic=mean,
        remarks=remarks,
    )
