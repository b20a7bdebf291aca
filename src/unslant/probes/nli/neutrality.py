"""How neutral the answers are: net neutral, fraction neutral and thresholds (Dev et al. 2020).

Each is taken of every sentence pair before it is averaged. (The authors' script averages over
templates before it compares with the threshold; the definition in their paper does not.)
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UndefinedMeasureError
from unslant.core.types import Array, Mask
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from unslant.numerics.bootstrap import weighted_means
from unslant.probes.nli.answers import (
    THRESHOLDS,
    AnswerMeasure,
    Cells,
    Channel,
    ValueRemarks,
    is_above,
    is_most_probable,
    is_predicted,
    probability,
    undefined,
    within,
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


# SIRT (Dev et al. 2020b): is what should be known about gender still known after debiasing?
#
# A gendered subject must entail another word of its own group (gentleman → man) and contradict
# one of the other (gentleman → lady). A word with itself does not count. Net, fraction and T:τ
# are as for neutrality, of the label that is right.


def retention(
    pairs: PairSet, thresholds: Sequence[float] = THRESHOLDS
) -> tuple[AnswerMeasure, ...]:
    """Net, fraction and T:τ of entailing the same group, then of contradicting another."""
    same, other = matching(pairs)
    return (
        *_of_label(pairs, ENTAILMENT, "entail", "the same group", same, thresholds),
        *_of_label(pairs, CONTRADICTION, "contradict", "another group", other, thresholds),
    )


def matching(pairs: PairSet) -> tuple[Mask, Mask]:
    """Which pairs of words are of the same group, and which of different ones."""
    shared = pairs.premise_groups.keys() & pairs.hypothesis_groups.keys()
    if not shared:
        raise UndefinedMeasureError(
            f'Retention needs groups of the same name on both sides; "{pairs.name}" has '
            f"{', '.join(pairs.premise_groups) or 'none'} among the premises and "
            f"{', '.join(pairs.hypothesis_groups) or 'none'} among the hypotheses."
        )
    same, other = np.zeros_like(pairs.counts), np.zeros_like(pairs.counts)
    for mine, premises in pairs.premise_groups.items():
        for theirs, hypotheses in pairs.hypothesis_groups.items():
            (same if mine == theirs else other)[np.ix_(premises, hypotheses)] = True
    return same & pairs.counts, other & ~same & pairs.counts


def _of_label(
    pairs: PairSet,
    label: int,
    verb: str,
    whom: str,
    counted: Mask,
    thresholds: Sequence[float],
) -> list[AnswerMeasure]:
    wanted, of = LABELS[label], f"for a word of {whom}"

    def one(channel: Channel, name: str, title: str) -> AnswerMeasure:
        return average(
            pairs, channel, name=f"retention-{verb}-{name}", title=title, counted=counted
        )

    return [
        one(probability(label), "net", f"Mean probability of {wanted} {of}"),
        one(is_most_probable(label), "fraction", f"Share where {wanted} is most probable {of}"),
        *(
            one(is_above(label, t), f"threshold-{t:g}", f"Share with {wanted} above {t:g} {of}")
            for t in thresholds
        ),
    ]


# NLI fairness η = accuracy × parity (Dawkins 2023).

AGGREGATION = (
    "per premise word and group the label predicted most often over templates and words; "
    "of equally frequent ones the one with the larger summed probability"
)
_TIED = 1e-9
"""Frequencies that differ by less, relative to the larger, are equal but for rounding."""

_FACTS: dict[str, str] = {
    "name": "nli-fairness",
    "title": "Share predicted neutral × share of words treated alike",
}

Labels = NDArray[np.int64]


def nli_fairness(pairs: PairSet) -> AnswerMeasure:
    """η: the share predicted neutral, times the share of premise words treated alike.

    A premise word (an occupation) is treated alike where its most frequent predicted label is the
    same for all groups of hypothesis words. Where two labels of a pair are equally probable,
    neutral is predicted, else entailment.
    """
    groups = {name: places for name, places in pairs.hypothesis_groups.items() if places}
    masks = [within(pairs.counts, places) for places in groups.values()]
    is_compared = np.all([mask.any(axis=1) for mask in masks], axis=0) if masks else np.zeros(0)
    if len(groups) < 2 or not is_compared.any():
        raise UndefinedMeasureError(
            f'NLI fairness compares groups of hypothesis words; "{pairs.name}" has '
            f"{len(groups)} with pairs that count. It needs at least two."
        )

    def parts(cells: Cells, premises: Array, hypotheses: Array) -> tuple[Array, Array]:
        labels = [_majority(cells, hypotheses, mask) for mask in masks]
        is_alike = np.all([other == labels[0] for other in labels], axis=0)
        weights = premises * is_compared
        accuracy = weighted_means(cells[NEUTRAL : NEUTRAL + 1], premises, hypotheses, pairs.counts)
        total = weights.sum(axis=1)
        parity = np.full(len(total), np.nan)
        np.divide((weights * is_alike).sum(axis=1), total, out=parity, where=total > 0)
        return accuracy[:, 0], parity

    def product(cells: Cells, premises: Array, hypotheses: Array) -> Array:
        accuracy, parity = parts(cells, premises, hypotheses)
        return accuracy * parity

    def remarks(cells: Cells, seed: int) -> ValueRemarks:
        ones = np.ones((1, pairs.counts.shape[0])), np.ones((1, pairs.counts.shape[1]))
        accuracy, parity = parts(cells, *ones)
        labels = {
            name: _majority(cells, ones[1], mask)[0]
            for name, mask in zip(groups, masks, strict=True)
        }
        points: list[dict[str, float | str]] = [
            {"word": word, **{name: LABELS[found[place]] for name, found in labels.items()}}
            for place, word in enumerate(pairs.premise_words)
            if is_compared[place]
        ]
        return ValueRemarks(
            details={
                "accuracy": float(accuracy[0]),
                "parity": float(parity[0]),
                "premise-words-compared": int(is_compared.sum()),
                "aggregation": AGGREGATION,
            },
            points=tuple(points),
        )

    return AnswerMeasure(
        **_FACTS,
        channels=(*map(is_predicted, range(3)), *map(probability, range(3))),
        counted=pairs.counts,
        statistic=product,
        remarks=remarks,
    )


def fairness_or_why(pairs: PairSet) -> AnswerMeasure:
    """η, or a measure without a value where words are missing that it needs."""
    try:
        return nli_fairness(pairs)
    except UndefinedMeasureError as error:
        return undefined(pairs, **_FACTS, why=str(error))


def _majority(cells: Cells, hypotheses: Array, mask: Mask) -> Labels:
    """The most frequent label of every premise word for one group: rows × premises."""
    often, summed = (
        np.stack([np.matmul(table * mask, hypotheses[:, :, None])[..., 0] for table in some], -1)
        for some in (cells[:3], cells[3:])
    )
    is_top = often >= often.max(axis=-1, keepdims=True) * (1 - _TIED)
    return np.asarray(np.where(is_top, summed, -1.0).argmax(axis=-1))
