"""The measurements: the recall of each group, the gap of each two, the largest of several."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.name_table import CROSSED, NameTable, crossed
from unslant.core.measurement import Draws, Interval, Measurement, PValue, WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array, Numbers
from unslant.numerics.bootstrap import percentile_bounds, stratified_counts
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.permutation import PermutationTest
from unslant.numerics.strata import spread_test, two_groups_test
from unslant.probes.aceat.groups import slug
from unslant.probes.name_swap.tagging import Groupings

# Recall of each name, on all sentences and on resamples of sentences and names.
#
# Names carry the group and sentences are repeated for each, so both are resampled, independently
# of each other: sentences with all their mentions, and the names of each group of all attributes
# crossed from themselves (see `numerics/bootstrap.py`).

_AT_ONCE = 100
"""Resamples of sentences that are in memory at the same time."""


@dataclass(frozen=True)
class Recalls:
    """How often each name was found: ``hits`` of ``mentions``, and ``own`` names as often.

    On each resample of sentences, ``drawn_hits`` (resamples × names) of ``drawn_mentions`` were
    found, and ``own_draws`` is the recall of the corpus' own names; ``weights`` is how often each
    name is drawn. ``key`` is the same for all that was resampled in the same way.
    """

    table: NameTable
    mentions: int
    hits: Numbers
    own: int
    drawn_hits: Array
    drawn_mentions: Array
    own_draws: Array
    weights: Array
    key: str

    def places(self, names: tuple[str, ...]) -> list[int]:
        """The numbers of names."""
        known = {name: place for place, name in enumerate(self.table.names)}
        return [known[name] for name in names]

    def recall(self, names: tuple[str, ...]) -> float:
        """The share of mentions that were found with these names."""
        return float(self.hits[self.places(names)].sum() / (self.mentions * len(names)))

    def drawn(self, names: tuple[str, ...]) -> Array:
        """The same on every resample of sentences and names."""
        places = self.places(names)
        weights = self.weights[:, places]
        hits = (self.drawn_hits[:, places] * weights).sum(axis=1)
        # Whole numbers up to here, so that equal recalls are equal to the last bit.
        found: Array = hits / (weights.sum(axis=1) * self.drawn_mentions)
        return found

    @property
    def draws(self) -> Array:
        """The recall of each name on resamples of sentences: resamples × names."""
        return self.drawn_hits / self.drawn_mentions[:, None]

    def strata(self, by: str) -> Numbers:
        """A number for each name: names with the same values of all attributes but those in ``by``.

        A test of one attribute permutes names within these, so that it does not depend on others.
        """
        others = [one for one in self.table.attributes if one not in crossed(by)]
        return _numbered(self.table, others)


def recalls(
    table: NameTable,
    is_found: NDArray[np.bool_],
    own: NDArray[np.bool_],
    sentences: Numbers,
    *,
    key: str,
    seed: int,
    resamples: int,
) -> Recalls:
    """Count the outcomes (slots × names; own names: slots), and resample them."""
    begins = np.flatnonzero(np.diff(sentences, prepend=-1))
    columns = np.concatenate([is_found, own[:, None], np.ones_like(own)[:, None]], axis=1)
    counts = np.add.reduceat(columns.astype(np.float64), begins, axis=0)
    rng = generator(seed, "name swap", key)
    weights = stratified_counts(_numbered(table, table.attributes), resamples, rng)
    sums = np.empty((resamples, is_found.shape[1] + 2))
    one_stratum = np.zeros(len(counts), dtype=np.int64)
    with one_blas_thread():  # the same bits on any number of cores
        for begin in range(0, resamples, _AT_ONCE):
            size = min(_AT_ONCE, resamples - begin)
            drawn = stratified_counts(one_stratum, size, rng).astype(np.float64)
            sums[begin : begin + size] = drawn @ counts
    return Recalls(
        table=table,
        mentions=len(sentences),
        hits=is_found.sum(axis=0, dtype=np.int64),
        own=int(own.sum()),
        drawn_hits=sums[:, :-2],
        drawn_mentions=sums[:, -1],
        own_draws=sums[:, -2] / sums[:, -1],
        weights=weights.astype(np.float64),
        key=f"name swap {key} {seed} {resamples}",
    )


def _numbered(table: NameTable, attributes: tuple[str, ...] | list[str]) -> Numbers:
    if not attributes:
        return np.zeros(len(table), dtype=np.int64)
    groups = table.groups(CROSSED.join(attributes))
    number = {name: place for place, names in enumerate(groups.values()) for name in names}
    return np.array([number[name] for name in table.names], dtype=np.int64)


LEVEL = 0.95
HOW = "percentile bootstrap over sentences and names"
OWN_HOW = "percentile bootstrap over sentences"
_ONE_NAME = "no interval: a group has one name, and other names would differ"
_OUTSIDE = "no interval: resamples lie on one side of the value"

Groups = Mapping[str, tuple[str, ...]]


def measured(
    groupings: Groupings, found: Recalls, *, seed: int, permutations: int
) -> Iterator[Measurement]:
    """All measurements of the answers."""
    for by, groups in groupings.items():
        for first, second in combinations(groups, 2):
            pair = {group: groups[group] for group in (first, second)}
            yield _gap(by, pair, found, seed, permutations)
        if len(groups) > 2:
            yield _largest(by, groups, found, seed, permutations)
    for groups in groupings.values():
        for group, names in groups.items():
            yield _measurement(
                found,
                f"name-swap-recall-{slug(group)}",
                f"Recall of {group} names",
                {group: names},
                value=found.recall(names),
                drawn=found.drawn(names),
            )
    yield own_names(found)


def own_names(found: Recalls) -> Measurement:
    """The recall of the names that the corpus has."""
    interval, warnings = _interval(found.own / found.mentions, found.own_draws, OWN_HOW)
    return Measurement(
        metric="name-swap-own",
        title="Recall of the corpus' own names",
        value=found.own / found.mentions,
        interval=interval,
        details={"mentions": found.mentions},
        warnings=warnings,
        draws=_draws(found, found.own_draws, OWN_HOW),
    )


def _gap(by: str, groups: Groups, found: Recalls, seed: int, permutations: int) -> Measurement:
    (first, xs), (second, ys) = groups.items()
    name = f"name-swap-gap-{slug(first)}-{slug(second)}"
    places = found.places((*xs, *ys))
    test = two_groups_test(
        found.hits[places],
        np.arange(len(places)) < len(xs),
        found.strata(by)[places],
        generator(seed, "name swap permutation", name),
        resamples=permutations,
    )
    return _measurement(
        found,
        name,
        f"Recall, {first} − {second}",
        groups,
        value=found.recall(xs) - found.recall(ys),
        drawn=found.drawn(xs) - found.drawn(ys),
        test=test,
        alternative="two-sided",
        details={
            "sign": f"above 0: persons with {first} names are found more often",
            f"recall-{slug(first)}": found.recall(xs),
            f"recall-{slug(second)}": found.recall(ys),
        },
    )


def _largest(by: str, groups: Groups, found: Recalls, seed: int, permutations: int) -> Measurement:
    name = f"name-swap-largest-{slug(by)}"
    values = [found.recall(names) for names in groups.values()]
    drawn = np.stack([found.drawn(names) for names in groups.values()])
    order = list(groups)
    numbers = np.repeat(np.arange(len(groups)), [len(names) for names in groups.values()])
    places = found.places(tuple(one for names in groups.values() for one in names))
    test = spread_test(
        found.hits[places],
        numbers,
        found.strata(by)[places],
        generator(seed, "name swap permutation", name),
        resamples=permutations,
    )
    return _measurement(
        found,
        name,
        f"Largest gap in recall, {by}",
        groups,
        value=max(values) - min(values),
        drawn=drawn.max(axis=0) - drawn.min(axis=0),
        test=test,
        alternative="greater",
        details={
            "found-most": order[values.index(max(values))],
            "found-least": order[values.index(min(values))],
        },
    )


def _measurement(
    found: Recalls,
    name: str,
    title: str,
    groups: Groups,
    *,
    value: float,
    drawn: Array,
    test: PermutationTest | None = None,
    alternative: str = "",
    details: Mapping[str, float | int | str | None] | None = None,
) -> Measurement:
    is_single = min(map(len, groups.values())) < 2
    interval, warnings = _interval(value, drawn[:0] if is_single else drawn, HOW)
    if is_single and len(drawn):
        warnings = (_ONE_NAME,)
    return Measurement(
        metric=name,
        title=title,
        value=value,
        interval=interval,
        p=_p_value(test, alternative),
        details={
            "mentions": found.mentions,
            "names": sum(map(len, groups.values())),
            **(details or {}),
        },
        words=tuple(WordUse(set=group, used=names) for group, names in groups.items()),
        warnings=warnings,
        draws=None if is_single else _draws(found, drawn, HOW),
    )


def _interval(value: float, drawn: Array, how: str) -> tuple[Interval | None, tuple[str, ...]]:
    ends = percentile_bounds(drawn, LEVEL)
    if ends is None:
        return None, ()
    low, high = ends
    if not low - 1e-9 <= value <= high + 1e-9:
        return None, (_OUTSIDE,)
    return Interval(low=min(low, value), high=max(high, value), level=LEVEL, how=how), ()


def _draws(found: Recalls, drawn: Array, how: str) -> Draws | None:
    return Draws(key=found.key, values=drawn, how=how) if len(drawn) else None


def _p_value(test: PermutationTest | None, alternative: str) -> PValue | None:
    if test is None:
        return None
    return PValue(
        value=test.p_value,
        how=test.how,
        alternative=alternative,
        outcomes=test.outcomes,
        error=test.error,
    )
