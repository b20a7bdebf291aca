"""Paired differences of scores, with tests and intervals.

For gender, each item (a template with an emotion word) gives eleven differences: ten between the
phrases of a pair, and one between the means for the women's and the men's names. For race it gives
two: between the means for the names of either race, for women and for men. Differences within an
item share its sentence, so what is resampled, and what changes its sign in the permutation test,
are whole items.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Draws, Interval, Measurement, PValue, WordUse
from unslant.core.seeds import generator
from unslant.numerics.bootstrap import bca_interval
from unslant.probes.eec.corpus import GENDERS, RACES, EecCorpus, Person, corpus

Array = NDArray[np.float64]

LEVEL = 0.95
FLIPS = 10_000
_EXACT_UP_TO = 16
_TOLERANCE = 1e-12
HOW = "BCa bootstrap over templates with emotion words"


@dataclass(frozen=True)
class Contrast:
    """Two groups of people: items × paired differences, the first group less the second."""

    name: str
    groups: tuple[str, str]
    differences: Array
    words: tuple[WordUse, ...]


def contrasts(found: EecCorpus, scores: Array) -> tuple[Contrast, Contrast]:
    """Gender and race, from scores of items × people."""
    people = found.people
    missing = found.missing.get("people", ())

    def mean(**wanted: str) -> Array | None:
        places = [
            place
            for place, one in enumerate(people)
            if one.race and all(getattr(one, key) == value for key, value in wanted.items())
        ]
        return scores[:, places].mean(axis=1) if places else None

    phrases = {(one.gender, one.pair): place for place, one in enumerate(people) if one.pair >= 0}
    by_gender: list[tuple[Array | None, ...]] = [
        tuple(scores[:, phrases[gender, pair]] for gender in GENDERS)
        for pair in sorted({pair for _, pair in phrases})
    ]
    by_gender.append(tuple(mean(gender=gender) for gender in GENDERS))
    by_race = [tuple(mean(race=race, gender=gender) for race in RACES) for gender in GENDERS]
    return (
        Contrast("gender", GENDERS, _paired(by_gender), _uses(people, "gender", GENDERS, missing)),
        Contrast("race", RACES, _paired(by_race), _uses(people, "race", RACES, missing)),
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
    is_absolute: bool = False,
) -> Measurement:
    """The mean difference over some items, or the mean of its size, with its interval and test."""
    pairs = contrast.differences[list(places)]
    if not pairs.size:
        lacking = "names or phrases of both groups" if len(places) else "emotion words"
        why = f"{lacking} are missing from the vectors, so there is nothing to compare"
        return Measurement(
            metric=name, title=title, value=None, why_undefined=why, words=contrast.words
        )
    each = (np.abs(pairs) if is_absolute else pairs).mean(axis=1)
    value = float(each.mean())
    rng = generator(seed, "eec", key, name)
    interval = draws = None
    if resamples and len(each) > 1:
        drawn = bca_interval(
            lambda chosen: each[chosen[0]].mean(axis=1), [len(each)], rng, resamples=resamples
        )
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
    details: dict[str, float | int | str | None] = {
        "items": len(each),
        "pairs": int(pairs.size),
        "largest-difference": float(np.abs(pairs).max()),
    }
    if not is_absolute:
        details |= _t_test(pairs.ravel())
    return Measurement(
        metric=name,
        title=title,
        value=value,
        interval=interval,
        p=None if is_absolute else sign_flip_test(each, rng),
        details=details,
        words=contrast.words,
        draws=draws,
    )


def sign_flip_test(each: Array, rng: np.random.Generator) -> PValue | None:
    """How often the mean is as far from 0 if every item's difference had a random sign.

    With up to 16 items all signs are tried; else 10,000 random ones, p = (b + 1) / (m + 1).
    """
    if len(each) < 2:
        return None
    at_least = abs(each.sum()) - _TOLERANCE * max(1.0, float(np.abs(each).sum()))
    if len(each) <= _EXACT_UP_TO:
        outcomes = 2 ** len(each)
        signs = 1.0 - 2.0 * ((np.arange(outcomes)[:, None] >> np.arange(len(each))) & 1)
        extreme = int((np.abs(signs @ each) >= at_least).sum())
        return PValue(
            value=extreme / outcomes, how="exact", alternative="two-sided", outcomes=outcomes
        )
    signs = rng.choice([-1.0, 1.0], size=(FLIPS, len(each)))
    extreme = int((np.abs(signs @ each) >= at_least).sum())
    return PValue(
        value=(extreme + 1) / (FLIPS + 1),
        how="monte carlo",
        alternative="two-sided",
        outcomes=FLIPS + 1,
    )


def _t_test(pairs: Array) -> dict[str, float | None]:
    """A paired t-test over all differences, as if each were independent, which they are not."""
    from scipy.stats import t

    spread = float(pairs.std(ddof=1)) if len(pairs) > 1 else 0.0
    if spread <= _TOLERANCE * max(1.0, float(np.abs(pairs).max())):
        return {"t": None, "p-of-t": None}
    value = float(pairs.mean() / (spread / np.sqrt(len(pairs))))
    return {"t": value, "p-of-t": float(2 * t.sf(abs(value), len(pairs) - 1))}


def _paired(halves: Sequence[tuple[Array | None, ...]]) -> Array:
    columns = [one - other for one, other in halves if one is not None and other is not None]
    size = next((len(part) for half in halves for part in half if part is not None), 0)
    return np.stack(columns, axis=1) if columns else np.empty((size, 0))


def _uses(
    people: Sequence[Person], key: str, groups: tuple[str, str], missing: tuple[str, ...]
) -> tuple[WordUse, ...]:
    return tuple(
        WordUse(
            set=group,
            used=tuple(one.text for one in people if getattr(one, key) == group),
            missing=tuple(
                one.text
                for one in corpus().people
                if getattr(one, key) == group and one.text in missing
            ),
        )
        for group in groups
    )
