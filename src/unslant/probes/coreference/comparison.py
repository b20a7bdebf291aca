"""Accuracies of conditions on the same items, their mean and their difference.

A condition is a version of each item, such as pro and anti or female and male; a part is some of
the items, such as those of one type. Every version of an item is drawn together, so differences are
paired. There is no p-value: the usual one (McNemar's test) takes items as independent, and items
share their words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from unslant.core.exhibits import Case, Column, Examples, Share, Shares, Table, Value
from unslant.core.measurement import Draws, Interval, Measurement
from unslant.core.seeds import generator
from unslant.core.types import Array, Details, Mask, Numbers
from unslant.numerics.bootstrap import percentile_bounds, stratified_counts
from unslant.numerics.chunks import one_blas_thread

# Sums over resampled items: of pairs of sentences, or of the words that sentences are made of.

_AT_ONCE = 100
"""Resamples that are in memory at the same time."""


@dataclass(frozen=True, eq=False)
class Resampling:
    """How items are drawn again: ``factors`` has a column for each thing that is drawn.

    With one column of distinct numbers each item is resampled. With several, the levels of
    each are drawn independently, and an item counts as often as the product of its levels (the
    pigeonhole bootstrap; Owen 2007). ``strata`` has a number for each level of each factor; levels
    are drawn within their stratum. ``key`` is the same for all that is resampled in the same way.
    """

    factors: Numbers
    strata: tuple[Numbers, ...]
    resamples: int
    seed: int
    key: str
    how: str

    def sums(self, columns: Array) -> Array:
        """For each resample the sum of each column over the drawn items: resamples × columns."""
        rng = generator(self.seed, "coreference", self.key)
        sums = np.empty((self.resamples, columns.shape[1]))
        with one_blas_thread():  # the same bits on any number of cores
            for begin in range(0, self.resamples, _AT_ONCE):
                size = min(_AT_ONCE, self.resamples - begin)
                weights = np.ones((size, len(columns)))
                for levels, strata in zip(self.factors.T, self.strata, strict=True):
                    weights *= stratified_counts(strata, size, rng)[:, levels]
                sums[begin : begin + size] = weights @ columns
        return sums

    @property
    def units(self) -> int:
        """The number of levels of the factor that has the fewest."""
        return min(map(len, self.strata))

    @property
    def draws_key(self) -> str:
        """The key that two measurements must share for a paired comparison."""
        return f"{self.key} {self.seed} {self.resamples}"


def of_items(strata: Numbers, *, resamples: int, seed: int, key: str, how: str) -> Resampling:
    """Each item is resampled within its stratum."""
    numbers = np.arange(len(strata), dtype=np.int64)[:, None]
    return Resampling(numbers, (strata,), resamples, seed, key, how)


def crossed(
    words: Sequence[Sequence[str]], *, resamples: int, seed: int, key: str, how: str
) -> Resampling:
    """Each item has a row of words, and the different words of each column are drawn again."""
    columns = [np.unique(column, return_inverse=True) for column in zip(*words, strict=True)]
    strata = tuple(np.zeros(len(names), dtype=np.int64) for names, _ in columns)
    factors = np.stack([levels for _, levels in columns], axis=1)
    return Resampling(factors, strata, resamples, seed, key, how)


LEVEL = 0.95
_SAME = "no interval: every resample has the same value"
_OUTSIDE = "no interval: resamples lie on one side of the value"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Whether each item was answered right in each condition."""

    right: Mapping[str, Mask]
    parts: Mapping[str, Mask]
    resampling: Resampling
    details: Mapping[tuple[str, str], Details] = field(default_factory=dict)

    def share(self, condition: str, part: str) -> float:
        """The share of a part's items that are right in a condition."""
        mask = self.parts[part]
        return int((self.right[condition] & mask).sum()) / int(mask.sum())

    def drawn(self, condition: str, part: str) -> Array:
        """The same on each resample."""
        names = list(self.parts)
        whole = self._sums[:, names.index(part)]
        place = list(self.right).index(condition) * len(names) + names.index(part)
        return _ratio(self._sums[:, len(names) + place], whole)

    @cached_property
    def _sums(self) -> Array:
        masks = list(self.parts.values())
        both = [right & mask for right in self.right.values() for mask in masks]
        return self.resampling.sums(np.stack([*masks, *both], axis=1).astype(np.float64))

    def difference(self, name: str, title: str, first: str, second: str, part: str) -> Measurement:
        """How much more often the first condition is right than the second."""
        mine, theirs = (self.right[one][self.parts[part]] for one in (first, second))
        value = self.share(first, part) - self.share(second, part)
        return measurement(
            self.resampling,
            name,
            title,
            value,
            self.drawn(first, part) - self.drawn(second, part),
            lowest=-1.0,
            details={
                "pairs": len(mine),
                first: self.share(first, part),
                second: self.share(second, part),
                f"right-in-{first}-only": int((mine & ~theirs).sum()),
                f"right-in-{second}-only": int((theirs & ~mine).sum()),
            },
        )

    def accuracy(self, name: str, title: str, condition: str, part: str) -> Measurement:
        """The share of right answers in a condition."""
        return measurement(
            self.resampling,
            name,
            title,
            self.share(condition, part),
            self.drawn(condition, part),
            lowest=0.0,
            details={
                "items": int(self.parts[part].sum()),
                **self.details.get((condition, part), {}),
            },
        )

    def mean(self, name: str, title: str, part: str) -> Measurement:
        """The mean accuracy of the conditions."""
        shares = {condition: self.share(condition, part) for condition in self.right}
        drawn = np.mean([self.drawn(condition, part) for condition in self.right], axis=0)
        value = sum(shares.values()) / len(shares)
        return measurement(self.resampling, name, title, value, drawn, lowest=0.0, details=shares)

    def measured(
        self, stem: str, first: str, second: str, titles: Mapping[str, str]
    ) -> Iterator[Measurement]:
        """The difference, the mean and each accuracy of every part; ``titles`` end the titles."""
        for part in self.parts:
            end = titles[part]
            yield self.difference(
                f"{stem}-difference-{part}",
                f"Accuracy, {first} − {second}{end}",
                first,
                second,
                part,
            )
            yield self.mean(f"{stem}-mean-{part}", f"Mean accuracy{end}", part)
            for condition in self.right:
                yield self.accuracy(
                    f"{stem}-accuracy-{part}-{condition}",
                    f"Accuracy, {condition}{end}",
                    condition,
                    part,
                )


def measurement(
    resampling: Resampling,
    name: str,
    title: str,
    value: float,
    drawn: Array,
    *,
    lowest: float | None = None,
    details: Details | None = None,
) -> Measurement:
    """A value with the percentile interval of its draws.

    ``lowest`` is the least that a mean over items can be if the most is 1; None for other values.
    """
    interval, warnings = _interval(value, drawn, resampling, lowest)
    draws = Draws(key=resampling.draws_key, values=drawn, how=resampling.how)
    return Measurement(
        metric=name,
        title=title,
        value=value,
        interval=interval,
        details=dict(details or {}),
        warnings=warnings,
        draws=draws if len(drawn) else None,
    )


def without_values(found: Iterable[Measurement], texts: int) -> tuple[Measurement, ...]:
    """The measurements without values: a system that resolves no pronoun measures nothing."""
    why = f"it linked no pronoun to any of the people in {texts:,} sentences"
    return tuple(
        replace(one, value=None, why_undefined=why, interval=None, draws=None, warnings=())
        for one in found
    )


def _interval(
    value: float, drawn: Array, resampling: Resampling, lowest: float | None
) -> tuple[Interval | None, tuple[str, ...]]:
    ends, how = percentile_bounds(drawn, LEVEL), resampling.how
    if ends is None:
        return None, ()
    low, high = ends
    finite = drawn[np.isfinite(drawn)]
    if finite.max() - finite.min() < 1e-12:
        if lowest is None:
            return None, (_SAME,)
        # Units that are all alike: of others, no more than this share is different for sure.
        other = 1 - ((1 - LEVEL) / 2) ** (1 / resampling.units)
        low, high = value - other * (value - lowest), value + other * (1 - value)
        how = f"{how}: all are alike"
    if not low - 1e-9 <= value <= high + 1e-9:
        return None, (_OUTSIDE,)
    return Interval(low=min(low, value), high=max(high, value), level=LEVEL, how=how), ()


def _ratio(part: Array, whole: Array) -> Array:
    found: Array = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return found


# Tables and figures for accuracies: parts, outcomes, and single sentences.


def table_of(
    found: Comparison, first: str, second: str, parts: Mapping[str, str], *, published: str = ""
) -> Table:
    """A row for each part: its items, the accuracy of each condition, and the difference."""
    rows: list[tuple[Value, ...]] = []
    for part, label in parts.items():
        shares = [100 * found.share(condition, part) for condition in found.right]
        gap = 100 * (found.share(first, part) - found.share(second, part))
        rows.append((label, int(found.parts[part].sum()), *shares, gap))
    return Table(
        id="accuracy",
        title="Accuracy in percent",
        columns=(
            Column(label="sentences"),
            Column(label="number", digits=0),
            *(Column(label=condition, digits=1) for condition in found.right),
            Column(label=f"{first} − {second}", digits=1),
        ),
        rows=tuple(rows),
        caption=published,
    )


def outcome_shares(rows: Mapping[str, Sequence[str]], labels: tuple[str, ...]) -> Shares:
    """For each condition, what its pronouns were resolved to."""
    return Shares(
        id="outcomes",
        title="What the pronoun was resolved to",
        labels=labels,
        rows=tuple(
            Share(
                label=condition,
                shares=tuple(list(given).count(label) / len(given) for label in labels),
            )
            for condition, given in rows.items()
        ),
        caption="Shares of all sentences.",
    )


def examples(
    cases: Sequence[tuple[str, ...]], texts: tuple[str, ...], count: int
) -> list[Examples]:
    """The first of the pairs that are right in one version only."""
    if not cases:
        return []
    return [
        Examples(
            id="examples",
            title="Sentences in which the stereotype decides",
            texts=texts,
            numbers=(),
            cases=tuple(Case(texts=one, numbers=()) for one in cases[:count]),
            caption=f"{min(count, len(cases))} of {len(cases):,}, in the order of the data.",
        )
    ]
