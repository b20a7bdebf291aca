"""What a measure of answers is, and what it takes of each pair before anything is averaged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.measurement import PValue
from unslant.core.types import Array, Details, Mask
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from unslant.predictors.protocols import Probabilities
from unslant.probes.nli.pairset import PairSet

THRESHOLDS = (0.5, 0.7)
"""The τ of T:τ in the tables of Dev et al. (2020)."""

Cells = tuple[Array, ...]
"""For each channel its mean over contexts: rows × premises × hypotheses."""

Statistic = Callable[[Cells, Array, Array], Array]
"""The value of every row, from cells and how often each premise and hypothesis was drawn."""


@dataclass(frozen=True)
class Channel:
    """One number for each pair; channels of the same name are the same number."""

    name: str
    of: Callable[[Probabilities], Array] = field(compare=False, repr=False)


def probability(label: int) -> Channel:
    """The probability of a label."""
    return Channel(LABELS[label], lambda found: found[..., label].astype(np.float64))


def is_most_probable(label: int) -> Channel:
    """1 where no label is more probable than this one, so that ties count."""
    # Comparing three columns is ten times as fast as a maximum over an axis of three.
    one, other = (number for number in range(3) if number != label)

    def of(found: Probabilities) -> Array:
        mine = found[..., label]
        return ((mine >= found[..., one]) & (mine >= found[..., other])).astype(np.float64)

    return Channel(f"{LABELS[label]} is most probable", of)


def is_predicted(label: int) -> Channel:
    """1 where this is the predicted label: the most probable, of equal ones neutral."""
    if label == NEUTRAL:
        return is_most_probable(label)

    def of(found: Probabilities) -> Array:
        e, n, c = (found[..., number] for number in range(3))
        is_it = (e > n) & (e >= c) if label == ENTAILMENT else (c > n) & (c > e)
        return is_it.astype(np.float64)

    return Channel(f"{LABELS[label]} is predicted", of)


def is_above(label: int, threshold: float) -> Channel:
    """1 where the probability of a label is greater than a threshold."""
    if not 0 <= threshold < 1:
        raise UnslantError(
            f"A threshold must be at least 0 and less than 1. Got {threshold:g} instead."
        )
    return Channel(
        f"{LABELS[label]} above {threshold!r}",
        # The threshold is compared in the precision of the answers, so that 0.1 is not above 0.1.
        lambda found: (found[..., label] > np.float32(threshold)).astype(np.float64),
    )


def _error(found: Probabilities) -> Array:
    distance = found.astype(np.float64)
    distance[..., NEUTRAL] -= 1
    return np.asarray(np.sqrt(np.vecdot(distance, distance)))


DISTANCE_FROM_NEUTRAL = Channel("distance from certain neutral", _error)


"""The length of (1, 0, 0) − (n, e, c): from 0 to √2."""


ALL = (probability(NEUTRAL), probability(ENTAILMENT), probability(CONTRADICTION))


"""The three probabilities in the order n, e, c of the marked attribute papers."""


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
