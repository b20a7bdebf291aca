"""Random controls: the baseline with random directions removed, as many as a method touches.

A change is the method's own only if it is larger than those that random directions make. This
needs the number of directions: an eraser has it, and between two files of vectors it is estimated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.record import Controls, Result
from unslant.core.verdicts.changes import ENOUGH
from unslant.erasers import Eraser
from unslant.erasers.eraser import directions_touched
from unslant.measures.change import control_of
from unslant.measures.running import measure
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.studies.audit_jobs import GivenJob
from unslant.vectors import Space, WordVectors

MOST_WORDS = 20_000
"""How many shared words, evenly spaced, are used to estimate how two spaces differ."""
NEARLY_ALL = 0.99
"""The directions that hold this share of the squared difference count as those that changed."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """How many directions a control removes, or why none fits; ``taken`` seeds are a method's."""

    directions: int = 0
    why_none: str = ""
    taken: frozenset[int] = frozenset()

    def seeds(self, many: int, first: int = 0) -> list[int]:
        """Seeds for the controls, none of which the method itself used.

        >>> Match(taken=frozenset({1})).seeds(3)
        [0, 2, 3]
        """
        return list(islice((seed for seed in count(first) if seed not in self.taken), many))


def match_for(eraser: Eraser) -> Match:
    """The number of directions that an eraser's control removes."""
    touched = directions_touched(eraser)
    if touched is None:
        return Match(why_none=f"no number of random directions matches what {eraser} does")
    methods = (stage.method.call.name for stage in eraser.stages)
    pairs = zip(methods, (stage.seed for stage in eraser.stages), strict=True)
    taken = {seed for name, seed in pairs if name == "random" and seed is not None}
    return Match(directions=touched, taken=frozenset(taken))


def match_between(before: Space, after: Space) -> Match:
    """The number of directions to remove so that a control differs as much as the two spaces do.

    The number is that of the directions that hold nearly all of the squared difference of shared
    words. Differences in length alone are not counted if that takes fewer directions: some methods
    scale every vector to length 1. Two spaces that differ along most directions, such as two
    trainings, have no control.
    """
    if not isinstance(before, WordVectors) or not isinstance(after, WordVectors):
        return Match(why_none="controls are run for word vectors only")
    if before.dim != after.dim:
        return Match(why_none="the two sets of vectors have different widths")
    rows = after.words.rows_of(list(before.words))
    places = np.flatnonzero(rows >= 0)
    if len(places) <= before.dim:
        return Match(why_none="the two sets of vectors share too few words")
    places = places[np.linspace(0, len(places) - 1, min(len(places), MOST_WORDS)).astype(int)]
    old = before.matrix[places].astype(np.float64)
    new = after.matrix[rows[places]].astype(np.float64)
    if np.array_equal(old, new):
        return Match(why_none="the two sets of vectors do not differ")
    directions = min(_holding(new - old), _holding(_turned(old, new)))
    if directions > before.dim // 2:
        return Match(why_none="the two sets of vectors differ along most directions")
    return Match(directions=directions)


def _turned(old: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of each old unit vector that is orthogonal to the new vector."""
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (old, new)]
    old_units, new_units = (
        rows / np.where(length == 0, 1, length)
        for rows, length in zip((old, new), lengths, strict=True)
    )
    return np.asarray(old_units - (old_units * new_units).sum(axis=1, keepdims=True) * new_units)


def _holding(differences: NDArray[np.float64]) -> int:
    """How many directions hold nearly all of the differences about their mean."""
    centred = differences - differences.mean(axis=0)
    sizes = np.linalg.eigvalsh(centred.T @ centred)[::-1].clip(min=0)
    if not sizes.sum():
        return 1
    return int((np.cumsum(sizes) < NEARLY_ALL * sizes.sum()).sum()) + 1


def random_spaces(
    vectors: WordVectors, concept: Concept, match: Match, many: int, first: int = 0
) -> Iterator[WordVectors]:
    """The vectors with random directions removed, each time others."""
    for seed in match.seeds(many, first):
        eraser = fit(f"random(seed={seed}, k={match.directions})", vectors, concept)
        yield debiased(vectors, eraser)


def with_controls(
    results: Sequence[Result],
    jobs: Sequence[GivenJob],
    baseline: Space,
    concept: Concept,
    policy: WordPolicy,
    match: Match,
    progress: Progress | None = None,
) -> tuple[list[Result], Controls]:
    """The results, each with the values of its controls where its change can be judged."""
    places = [
        place
        for place, (result, job) in enumerate(zip(results, jobs, strict=True))
        if job[1] is not None and result.change and result.change.verdict != "unknown"
    ]
    if match.why_none or not places or not isinstance(baseline, WordVectors):
        return list(results), Controls(why_none=match.why_none)
    measured: dict[int, list[Measurement]] = {place: [] for place in places}
    for number, space in enumerate(random_spaces(baseline, concept, match, ENOUGH)):
        for step, place in enumerate(places):
            if progress:
                done = number * len(places) + step
                progress("Measuring random controls", done, ENOUGH * len(places))
            measured[place].append(_value(jobs[place], space, baseline, policy))
    controls = {
        place: control_of(results[place].now, values, match.directions)
        for place, values in measured.items()
    }
    return (
        [replace(result, control=controls.get(n)) for n, result in enumerate(results)],
        Controls(draws=ENOUGH, directions=match.directions),
    )


def _value(
    job: GivenJob, space: WordVectors, baseline: WordVectors, policy: WordPolicy
) -> Measurement:
    expression, subject = job
    try:
        return measure(expression, space, subject, policy, baseline=baseline, values_only=True)
    except UnslantError as error:
        return Measurement.undefined(str(error))
