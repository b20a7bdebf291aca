"""Who is compared with whom, and what is drawn again: people, templates and emotion words.

Names and phrases stand for their groups, and with others a scorer might differ the other way. Pairs
of phrases are drawn whole, names within their gender and race. Sentences with one template share
its words ("himself" and "herself" among them), and those with one emotion word share that, so both
are drawn too. A sentence counts as often as the product of its template, its emotion word and its
person (the pigeonhole bootstrap; Owen 2007).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from unslant.core.types import Array
from unslant.numerics.bootstrap import Indices, Resampled, bca_interval
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.strata import permuted
from unslant.probes.eec.corpus import FilledTemplate

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
        """The people on both sides of each difference that an item gives."""
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
        """Everything with more than one level; a single one is taken as given."""
        of_word: dict[str, tuple[str, ...]] = {}
        for item in self.items:
            of_word[item.word] = (*of_word.get(item.word, ()), item.template)
        yield from _unit([item.template for item in self.items])
        for templates in dict.fromkeys(of_word[word] for word in of_word if word):
            # Words that fill the same templates, so that no resample lacks a word for one.
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
    """What items or people are drawn by; those without a label are not drawn."""
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
