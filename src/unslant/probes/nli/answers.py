"""What a model answered to every pair of a set, checked once."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
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
        """Whether several pairs were asked and all have the same answer, which tells nothing."""
        counted = self.probabilities[self.set.counts].reshape(-1, 3)
        return len(counted) > 1 and not np.ptp(counted, axis=0).any()


def ask(pairs: PairSet, model: NliModel, progress: Progress | None = None) -> Answers:
    """Ask a model every pair of a set that counts.

    A model with ``predict_grid`` is given the whole grid, so that it can compute shared parts
    once; any other is given the sentences, 512 pairs at a time. Pairs that do not count are not
    asked of such a model, and nothing looks at their answers.
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
