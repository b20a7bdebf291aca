"""SIRT (Dev et al. 2020b): is what should be known about gender still known after debiasing?

A gendered subject must entail another word of its own group (gentleman → man) and contradict one
of the other (gentleman → lady). A word with itself does not count. Net, fraction and T:τ are as
for neutrality, of the label that is right.
"""

from collections.abc import Sequence

import numpy as np

from unslant.core.errors import UndefinedMeasureError
from unslant.core.types import Mask
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, LABELS
from unslant.probes.nli.answer_measure import (
    THRESHOLDS,
    AnswerMeasure,
    Channel,
    is_above,
    is_most_probable,
    probability,
)
from unslant.probes.nli.neutrality import average
from unslant.probes.nli.pairset import PairSet


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
