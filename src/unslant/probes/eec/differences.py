"""Paired differences of scores, with tests and intervals.

For gender, each item (a template with an emotion word) gives eleven differences: ten between the
phrases of a pair, and one between the means for the women's and the men's names. For race it gives
two: between the means for the names of either race, for women and for men. Sentences are no
independent observations, as they share their people, templates and emotion words: intervals draw
those again, and p exchanges people.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unslant.core.measurement import Draws, Interval, Measurement, PValue, WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.probes.eec.corpus import GENDERS, RACES, EecCorpus, corpus
from unslant.probes.eec.resampling import Cells, Contrast

LEVEL = 0.95
EXCHANGES = 10_000
_TOLERANCE = 1e-12
HOW = "BCa bootstrap over people, templates and emotion words"


def contrasts(found: EecCorpus, scores: Array) -> tuple[Contrast, Contrast]:
    """Gender and race, from scores of items × people."""
    people = found.people

    def names(gender: str, race: str) -> tuple[int, ...]:
        return tuple(
            place for place, one in enumerate(people) if (one.gender, one.race) == (gender, race)
        )

    phrases = {(one.gender, one.pair): place for place, one in enumerate(people) if one.pair >= 0}
    female, male = GENDERS
    pairs = tuple(
        (phrases[female, pair], phrases[male, pair]) for pair in sorted({p for _, p in phrases})
    )
    of_gender = tuple(tuple(names(gender, race) for race in RACES) for gender in GENDERS)
    by_race = [tuple((names(gender, race),) for race in RACES) for gender in GENDERS]
    return (
        Contrast("gender", GENDERS, found.items, scores, pairs, _comparable([of_gender])),
        Contrast("race", RACES, found.items, scores, (), _comparable(by_race)),
    )


def measured(
    contrast: Contrast,
    places: Sequence[int],
    *,
    name: str,
    title: str,
    key: str,
    seed: int,
    resamples: int,
    words: tuple[WordUse, ...] = (),
    is_absolute: bool = False,
) -> Measurement:
    """The mean difference over some items, or the mean of its size, with its interval and test."""
    part = replace(
        contrast,
        items=tuple(contrast.items[place] for place in places),
        scores=contrast.scores[list(places)],
    )
    pairs = part.differences()
    if not pairs.size:
        lacking = "names or phrases of both groups" if len(places) else "emotion words"
        why = f"{lacking} are missing from the vectors, so there is nothing to compare"
        return Measurement(metric=name, title=title, value=None, why_undefined=why, words=words)
    measure = np.abs if is_absolute else np.positive
    value = float(measure(pairs).mean())
    rng = generator(seed, "eec", key, name)
    interval = draws = None
    drawn = part.resampled(measure, rng, resamples) if resamples else None
    if drawn is not None:
        draws = Draws(
            key=f"{key} {name} {seed} {resamples}",
            values=drawn.draws,
            without=drawn.without,
            how=HOW,
        )
        if drawn.ends:
            low, high = drawn.ends
            interval = Interval(low=low, high=high, level=LEVEL, how=HOW)
    return Measurement(
        metric=name,
        title=title,
        value=value,
        interval=interval,
        p=None if is_absolute else exchange_test(part, rng),
        details={
            "items": len(part.items),
            "pairs": int(pairs.size),
            "largest-difference": float(np.abs(pairs).max()),
        },
        words=words,
        draws=draws,
    )


def exchange_test(contrast: Contrast, rng: np.random.Generator) -> PValue:
    """How often the mean difference is as far from 0 if people are exchanged at random.

    p = (b + 1) / (m + 1) of 10,000 exchanges.
    """
    observed = abs(float(contrast.differences().mean()))
    at_least = observed - _TOLERANCE * max(1.0, float(np.abs(contrast.scores).max()))
    extreme = int((np.abs(contrast.exchanged(EXCHANGES, rng)) >= at_least).sum())
    return PValue(
        value=(extreme + 1) / (EXCHANGES + 1),
        how="monte carlo",
        alternative="two-sided",
        outcomes=EXCHANGES + 1,
    )


def uses(found: EecCorpus, key: str, groups: tuple[str, str]) -> tuple[WordUse, ...]:
    """The people of each group, and those that are missing."""
    missing = found.missing.get("people", ())
    return tuple(
        WordUse(
            set=group,
            used=tuple(one.text for one in found.people if getattr(one, key) == group),
            missing=tuple(
                one.text
                for one in corpus().people
                if getattr(one, key) == group and one.text in missing
            ),
        )
        for group in groups
    )


def _comparable(columns: Sequence[tuple[Cells, ...]]) -> tuple[tuple[Cells, Cells], ...]:
    """The columns that have names on both sides."""
    return tuple((first, second) for first, second in columns if all(map(any, (first, second))))
