"""What a measure of answers is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unslant.core.measurement import PValue
from unslant.numerics.crossed_bootstrap import Array, Mask
from unslant.probes.nli.channels import Channel
from unslant.probes.nli.pairset import PairSet

Cells = tuple[Array, ...]
"""For each channel its mean over contexts: rows × premises × hypotheses."""

Statistic = Callable[[Cells, Array, Array], Array]
"""The value of every row, from cells and how often each premise and hypothesis was drawn."""

Details = Mapping[str, float | int | str | None]


@dataclass(frozen=True, kw_only=True)
class ValueRemarks:
    """What a measurement says beside its value."""

    details: Details = field(default_factory=dict)
    points: tuple[Mapping[str, float | str], ...] = ()
    p: PValue | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AnswerMeasure:
    """One number of a set of answers: what of each pair, averaged over which pairs, and how.

    ``counted`` are the pairs of words it looks at, ``remarks`` gets the averages of every pair
    of words and a seed.
    """

    name: str
    title: str
    channels: tuple[Channel, ...]
    counted: Mask
    statistic: Statistic
    remarks: Callable[[Cells, int], ValueRemarks] = lambda cells, seed: ValueRemarks()
    why_undefined: str = ""


def undefined(pairs: PairSet, *, name: str, title: str, why: str) -> AnswerMeasure:
    """A measure that has no value for this set, and why."""

    def nothing(cells: Cells, premises: Array, hypotheses: Array) -> Array:
        return np.full(len(premises), np.nan)

    return AnswerMeasure(
        name=name,
        title=title,
        channels=(),
        counted=np.zeros_like(pairs.counts),
        statistic=nothing,
        why_undefined=why,
    )


def within(counted: Mask, hypotheses: Sequence[int]) -> Mask:
    """The counted pairs with one of these hypothesis words."""
    chosen = np.zeros_like(counted)
    chosen[:, list(hypotheses)] = counted[:, list(hypotheses)]
    return chosen
