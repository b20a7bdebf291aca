"""A model's answers to every pair of a set, checked once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import PValue
from unslant.core.types import Array, Details, Mask
from unslant.datasets.nli.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from unslant.predictors.protocols import GridModel, NliModel, Probabilities, accepted
from unslant.probes.nli.pairset import PairSet

BATCH = 512
LARGE_BATCH = 2_048
"""For models that sort pairs by length themselves."""
SUM_TOLERANCE = 1e-3
"""How far the three probabilities of a pair may be from 1 together; half precision comes close."""


NO_ANSWER = "every pair has the same answer, so the model read none of them"


@dataclass(frozen=True, eq=False)
class Answers:
    """The three probabilities of every pair: premises × hypotheses × contexts × 3."""

    set: PairSet
    probabilities: Probabilities

    def __post_init__(self) -> None:
        given = np.asarray(self.probabilities)
        wanted = (*self.set.grid.shape, 3)
        if given.shape != wanted:
            raise UnslantError(
                f'Answers to "{self.set.name}" have the shape {_times(given.shape)}; the set needs '
                f"{_times(wanted)} (premises × hypotheses × contexts × 3 probabilities)."
            )
        checked = np.ascontiguousarray(_checked(given, self.set.name)).view()
        checked.flags.writeable = False
        object.__setattr__(self, "probabilities", checked)

    @property
    def is_constant(self) -> bool:
        """Whether several pairs all have the same answer, so that no score is possible."""
        counted = self.probabilities[self.set.counts].reshape(-1, 3)
        return len(counted) > 1 and not np.ptp(counted, axis=0).any()


def ask(pairs: PairSet, model: NliModel, progress: Progress | None = None) -> Answers:
    """Ask a model every pair of a set that counts.

    A model with ``predict_grid`` is given the whole grid, so that it can compute shared parts
    once; any other is given the sentences, 512 pairs at a time. Pairs that do not count are not
    run on such a model, and nothing uses their answers.
    """
    if isinstance(model, GridModel):
        return Answers(pairs, model.predict_grid(pairs.grid, progress))
    accepted(model, NliModel)
    total, found = len(pairs), np.full((*pairs.grid.shape, 3), 1 / 3, dtype=np.float32)
    counted = np.empty((total, 3), dtype=np.float32)
    waiting, done = pairs.pairs(), 0
    at_once = LARGE_BATCH if getattr(model, "reads_pairs", False) else BATCH
    while some := list(islice(waiting, at_once)):
        rows = np.asarray(
            model.predict([pair.premise for pair in some], [pair.hypothesis for pair in some])
        )
        if rows.shape != (len(some), 3):
            raise UnslantError(
                f"{type(model).__name__}.predict gave an array of shape {_times(rows.shape)} for "
                f"{len(some)} pairs; expected {len(some)} × 3 (entailment, neutral, contradiction)."
            )
        counted[done : done + len(some)] = _checked(rows, pairs.name, done)
        done += len(some)
        if progress:
            progress("Asking", done, total)
    found[pairs.counts] = counted.reshape(-1, pairs.grid.shape[2], 3)
    return Answers(pairs, found)


def _checked(given: NDArray[np.generic], name: str, first: int = 0) -> Probabilities:
    """The probabilities as float32, refused where they are none."""
    if not (np.issubdtype(given.dtype, np.floating) or np.issubdtype(given.dtype, np.integer)):
        raise UnslantError(
            f'Answers to "{name}" are of type {given.dtype}; expected numbers between 0 and 1.'
        )
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = given.astype(np.float32, copy=False)
        rows = numbers.reshape(-1, 3)
        is_wrong = ~(np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE)
        is_wrong |= ~((rows >= 0) & (rows <= 1 + SUM_TOLERANCE)).all(axis=1)
    if is_wrong.any():
        place = int(is_wrong.argmax())
        shown = ", ".join(f"{number:.6g}" for number in rows[place].tolist())
        raise UnslantError(
            f'The answer to pair {first + place + 1:,} of "{name}" is ({shown}); expected three '
            f"probabilities of at least 0 that sum to 1. {int(is_wrong.sum()):,} answers of "
            f"{len(rows):,} are wrong like this; give the model's softmax, not its raw scores."
        )
    return numbers


def _times(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape) or "a single number"


# Measures of answers, and the quantity they take from each pair before averaging.

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
    """Details of a measurement in addition to its value."""

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
