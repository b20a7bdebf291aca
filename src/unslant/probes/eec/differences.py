"""Paired differences of scores, with tests and intervals.

For gender, each item (a template with an emotion word) has eleven differences: ten between the
phrases of a pair, and one between the means for the women's and the men's names. For race it has
two: between the means for the names of either race, for women and for men. Sentences are no
independent observations, as they share their people, templates and emotion words: intervals draw
those again, and p exchanges people.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from unslant.core.measurement import Draws, Interval, Measurement, PValue, WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.bootstrap import Indices, Resampled, bca_interval
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.strata import permuted
from unslant.probes.eec.corpus import GENDERS, RACES, EecCorpus, FilledTemplate, corpus

# Which people are compared, and what is resampled: people, templates and emotion words.
#
# Names and phrases stand for their groups, and with others a scorer might differ the other way.
# Pairs of phrases are drawn whole, names within their gender and race. Sentences with one
# template share its words ("himself" and "herself" among them), and those with one emotion word
# share that, so both are drawn too. A sentence counts as often as the product of its template,
# its emotion word and its person (the pigeonhole bootstrap; Owen 2007).

Cells = tuple[tuple[int, ...], ...]
"""Numbers of people; those in one cell are drawn in place of each other."""

_ROUNDING = 1e-12
"""Of means of scores, which go from −1 to 1."""


@dataclass(frozen=True)
class Contrast:
    """Two groups of people, and the scores of items × people.

    ``pairs`` are phrases, that of the first group first. ``names`` are compared by their means;
    the cells of both sides are parallel: their names differ in nothing but the group.
    """

    name: str
    groups: tuple[str, str]
    items: tuple[FilledTemplate, ...]
    scores: Array
    pairs: tuple[tuple[int, int], ...]
    names: tuple[tuple[Cells, Cells], ...]

    @property
    def columns(self) -> list[tuple[list[int], list[int]]]:
        """The people on both sides of each difference of an item."""
        alone = [([first], [second]) for first, second in self.pairs]
        return alone + [(_joined(first), _joined(second)) for first, second in self.names]

    def differences(self) -> Array:
        """Items × differences: the first group less the second."""
        found = [
            self.scores[:, first].mean(axis=1) - self.scores[:, second].mean(axis=1)
            for first, second in self.columns
        ]
        return np.stack(found, axis=1) if found else np.empty((len(self.items), 0))

    def exchanged(self, rows: int, rng: np.random.Generator) -> Array:
        """The mean difference if people were exchanged at random, ``rows`` times.

        Either phrase of a pair may take the other's place, and any name that of a parallel cell.
        """
        columns = self.columns
        shares = np.zeros(self.scores.shape[1])
        for first, second in columns:
            shares[first] += 1 / (len(columns) * len(first))
            shares[second] -= 1 / (len(columns) * len(second))
        strata = np.arange(len(shares))
        parallel = chain.from_iterable(zip(*sides, strict=True) for sides in self.names)
        for place, alike in enumerate([*self.pairs, *(one + other for one, other in parallel)]):
            strata[list(alike)] = len(shares) + place
        order = permuted(np.arange(len(shares)), strata, rows, rng)
        found: Array = shares[order] @ self.scores.mean(axis=0)
        return found

    def resampled(
        self, measure: Callable[[Array], Array], rng: np.random.Generator, resamples: int
    ) -> Resampled | None:
        """The mean over items of a measure of the differences, on resamples of all units."""
        units = list(self._units())
        if not units:
            return None

        def statistic(chosen: tuple[Indices, ...]) -> Array:
            items = np.ones((len(chosen[0]), len(self.items)))
            people = np.ones((len(chosen[0]), self.scores.shape[1]))
            for unit, drawn in zip(units, chosen, strict=True):
                counts = (drawn[:, :, None] == np.arange(unit.size)).sum(axis=1)
                weights = people if unit.is_of_people else items
                weights[:, unit.places] *= counts[:, unit.levels]
            each = self._each(people, measure)
            found: Array = np.vecdot(items, each) / items.sum(axis=1)
            found[np.abs(found) < _ROUNDING] = 0  # equal scores differ by nothing
            return found

        with one_blas_thread():  # the same bits on any number of cores
            return bca_interval(statistic, [unit.size for unit in units], rng, resamples=resamples)

    def _each(self, people: Array, measure: Callable[[Array], Array]) -> Array:
        """For each row of weights of people, the mean measure of each item: rows × items."""
        total = np.zeros((len(people), len(self.items)))
        if self.pairs:
            first, second = (list(side) for side in zip(*self.pairs, strict=True))
            sizes = measure(self.scores[:, first] - self.scores[:, second])
            total += len(first) * _means(people[:, first], sizes)
        for sides in self.names:
            mine, theirs = (
                _means(people[:, some], self.scores[:, some]) for some in map(_joined, sides)
            )
            total += measure(mine - theirs)
        return total / (len(self.pairs) + len(self.names))

    def _units(self) -> Iterator["_Unit"]:
        """The factors with more than one level; a single level is fixed."""
        of_word: dict[str, tuple[str, ...]] = {}
        for item in self.items:
            of_word[item.word] = (*of_word.get(item.word, ()), item.template)
        yield from _unit([item.template for item in self.items])
        for templates in dict.fromkeys(of_word[word] for word in of_word if word):
            # Words that fill the same templates, so that every resample has a word for each.
            yield from _unit(
                [one.word if of_word[one.word] == templates else None for one in self.items]
            )
        people = range(self.scores.shape[1])
        pair_of = {one: pair for pair in self.pairs for one in pair}
        yield from _unit([pair_of.get(one) for one in people], is_of_people=True)
        for cell in dict.fromkeys(cell for sides in self.names for side in sides for cell in side):
            yield from _unit([one if one in cell else None for one in people], is_of_people=True)


@dataclass(frozen=True)
class _Unit:
    """Levels that are drawn in place of each other, and the items or people of each."""

    places: Indices
    levels: Indices
    size: int
    is_of_people: bool


def _unit(labels: Sequence[Hashable], *, is_of_people: bool = False) -> Iterator[_Unit]:
    """The resampling unit of items or people; those without a label are not resampled."""
    names = {label: n for n, label in enumerate(dict.fromkeys(x for x in labels if x is not None))}
    places = [place for place, label in enumerate(labels) if label is not None]
    if len(names) > 1:
        levels = np.array([names[labels[place]] for place in places])
        yield _Unit(np.array(places), levels, len(names), is_of_people)


def _means(weights: Array, values: Array) -> Array:
    """The mean of each row of values by each row of weights: rows of weights × rows of values."""
    found: Array = weights @ values.T / weights.sum(axis=1, keepdims=True)
    return found


def _joined(cells: Cells) -> list[int]:
    return [person for cell in cells for person in cell]


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
