"""The measurements of one grouping of the names: effects of pairs, and a share for several."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unslant.concepts.name_table import CROSSED, NameTable
from unslant.core.exhibits import Column, Point, Points, Table
from unslant.core.measurement import Draws, Interval, Measurement, PValue, WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.bootstrap import bca_ends, is_enough
from unslant.numerics.permutation import (
    PermutationTest,
    groups_test,
    permutation_test,
    share_between,
)
from unslant.probes.aceat.cosines import Sums

LEVEL = 0.95
HOW = "BCa Poisson bootstrap over sentences"
SMALLEST_SPREAD = 1e-9
"""The precision of cosines of float32 vectors."""
_FEW_PARTS = 10


@dataclass(frozen=True)
class Associations:
    """m of every name: for all sentences, on resamples (× names) and without each part (× names).

    ``key`` is the same for all that was resampled in the same way. ``why_undefined`` says why there
    are no values, if the set is empty.
    """

    names: tuple[str, ...]
    values: Array
    draws: Array
    without: Array
    key: str
    why_undefined: str = ""


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """How an effect is standardised and tested."""

    ddof: int
    alternative: str
    permutations: int
    seed: int


def measured(
    by: str, groups: Mapping[str, tuple[str, ...]], found: Associations, how: Procedure
) -> Iterator[Measurement]:
    """One effect for two groups; for more, the share of the spread between them, and pairs."""
    if len(groups) == 2:
        yield _effect(f"aceat-{slug(by)}", by, groups, found, how)
        return
    yield _share(by, groups, found, how)
    for first, second in combinations(groups, 2):
        pair = {group: groups[group] for group in (first, second)}
        name = f"aceat-pair-{slug(by)}-{slug(first)}-{slug(second)}"
        yield _effect(name, by, pair, found, how)


def sign_in_words(first: str, second: str) -> str:
    """The meaning of an effect above 0."""
    return f"positive: {first} names are nearer to positive sentences than {second} names"


def slug(text: str) -> str:
    """A text as part of the name of a measurement.

    >>> slug("female × African-American")
    'female-x-african-american'
    """
    return re.sub(r"[^\w]+", "-", text.lower().replace("×", "x")).strip("-")


def standardised(scores: Array, first: int, ddof: int) -> Array:
    """(mean of the first ``first`` − mean of the others) / sd of all, along the last axis."""
    difference = scores[..., :first].mean(axis=-1) - scores[..., first:].mean(axis=-1)
    spread = scores.std(axis=-1, ddof=ddof)
    is_spread = spread > SMALLEST_SPREAD
    return np.where(is_spread, difference / np.where(is_spread, spread, 1.0), np.nan)


def _effect(
    name: str,
    by: str,
    groups: Mapping[str, tuple[str, ...]],
    found: Associations,
    how: Procedure,
) -> Measurement:
    (first, xs), (second, ys) = groups.items()
    title = f"ACEAT d, {first} − {second}"
    places = _places(found, groups)
    x, y = found.values[places[: len(xs)]], found.values[places[len(xs) :]]
    details: dict[str, float | int | str | None] = {
        "sign": sign_in_words(first, second),
        "difference-of-means": float(x.mean() - y.mean()),
    }
    if len(xs) == len(ys):
        details["test-statistic-s"] = float(x.sum() - y.sum())

    def test(rng: np.random.Generator) -> PermutationTest:
        return permutation_test(x, y, rng, alternative=how.alternative, resamples=how.permutations)

    return _measurement(
        name,
        title,
        groups,
        found,
        how,
        statistic=lambda scores: standardised(scores[..., places], len(xs), how.ddof),
        test=test,
        alternative=how.alternative,
        details=details,
    )


def _share(
    by: str, groups: Mapping[str, tuple[str, ...]], found: Associations, how: Procedure
) -> Measurement:
    places = _places(found, groups)
    sizes = [len(names) for names in groups.values()]
    total = sum(sizes)

    def share(scores: Array) -> Array:
        chosen = scores[..., places]
        is_spread = chosen.std(axis=-1) > SMALLEST_SPREAD
        return np.where(is_spread, share_between(chosen, sizes), np.nan)

    def test(rng: np.random.Generator) -> PermutationTest:
        return groups_test(found.values[places], sizes, rng, resamples=how.permutations)

    return _measurement(
        f"aceat-groups-{slug(by)}",
        f"ACEAT η² between groups, {by}",
        groups,
        found,
        how,
        statistic=share,
        test=test,
        alternative="greater",
        details={"groups": len(groups), "expected-by-chance": (len(sizes) - 1) / (total - 1)},
    )


def _measurement(
    name: str,
    title: str,
    groups: Mapping[str, tuple[str, ...]],
    found: Associations,
    how: Procedure,
    *,
    statistic: Callable[[Array], Array],
    test: Callable[[np.random.Generator], PermutationTest],
    alternative: str,
    details: Mapping[str, float | int | str | None],
) -> Measurement:
    words = tuple(WordUse(set=group, used=names) for group, names in groups.items())
    value = float(statistic(found.values))
    if not np.isfinite(value):
        return Measurement(
            metric=name,
            title=title,
            value=None,
            why_undefined=found.why_undefined or "all names have the same association",
            words=words,
        )
    tested = test(generator(how.seed, "aceat names", name, found.key))
    interval, draws, warnings = _interval(value, statistic, found)
    return Measurement(
        metric=name,
        title=title,
        value=value,
        p=PValue(
            value=tested.p_value,
            how=tested.how,
            alternative=alternative,
            outcomes=tested.outcomes,
            error=tested.error,
        ),
        interval=interval,
        draws=draws,
        details=details,
        words=words,
        warnings=warnings,
    )


def _interval(
    value: float, statistic: Callable[[Array], Array], found: Associations
) -> tuple[Interval | None, Draws | None, tuple[str, ...]]:
    if not len(found.draws):
        return None, None, ()
    if len(found.without) < _FEW_PARTS:
        return None, None, ("no interval: there are too few different sentences to resample",)
    drawn, without = statistic(found.draws), statistic(found.without)
    draws = Draws(key=found.key, values=drawn, without=(without,), how=HOW)
    ends = bca_ends(value, drawn, (without,), LEVEL) if is_enough(drawn, (without,)) else None
    if ends is None:
        return None, draws, ("no interval: resamples of the sentences lie on one side of it",)
    return Interval(low=ends[0], high=ends[1], level=LEVEL, how=HOW), draws, ()


def _places(found: Associations, groups: Mapping[str, tuple[str, ...]]) -> list[int]:
    known = {name: place for place, name in enumerate(found.names)}
    return [known[name] for names in groups.values() for name in names]


# Tables and figures for the effects: every name, every group, and the sentiment labels.

_ENDS = ("nearer to positive", "nearer to negative")


def every_name(table: NameTable, found: Associations) -> Iterator[Points]:
    """m of each name less the mean of all, a panel for each group of all attributes crossed."""
    centred = found.values - found.values.mean()
    drawn = found.draws - found.draws.mean(axis=1, keepdims=True)
    low, high = np.nanquantile(drawn, [0.025, 0.975], axis=0) if len(drawn) else (centred, centred)
    place = {name: number for number, name in enumerate(found.names)}
    for group, names in table.groups(CROSSED.join(table.attributes)).items():
        rows = sorted((place[name] for name in names), key=lambda row: -centred[row])
        yield Points(
            id="names",
            title="Association of each name with positive rather than negative sentences",
            part=group,
            x="m, less the mean of all names",
            ends=_ENDS,
            points=tuple(
                Point(
                    label=found.names[row],
                    x=float(centred[row]),
                    low=float(low[row]) if len(drawn) else None,
                    high=float(high[row]) if len(drawn) else None,
                )
                for row in rows
            ),
            caption="Each name in the same sentences; the mean of all names is 0, and lines are "
            "95 % percentile intervals over sentences. Without bias the groups lie alike.",
        )


def every_group(
    groupings: Mapping[str, Mapping[str, tuple[str, ...]]], found: Associations, sums: Sums
) -> Table:
    """For each group the mean of m, its spread and the mean cosines behind it."""
    place = {name: number for number, name in enumerate(found.names)}
    means = sums.mean_cosines()
    rows = []
    for by, groups in groupings.items():
        for group, names in groups.items():
            chosen = [place[name] for name in names]
            some = found.values[chosen]
            spread = float(some.std(ddof=1)) if len(some) > 1 else None
            cosines = (float(row[chosen].mean()) for row in means)
            rows.append((by, group, len(names), float(some.mean()), spread, *cosines))
    return Table(
        id="groups",
        title="Groups of names",
        columns=(
            Column(label="by"),
            Column(label="group"),
            Column(label="names", digits=0),
            Column(label="mean m", digits=5),
            Column(label="sd of m", digits=5),
            Column(label="mean cosine, positive sentences", digits=4),
            Column(label="mean cosine, negative sentences", digits=4),
        ),
        rows=tuple(rows),
        caption="m is the weighted mean cosine of a name with the rest of positive sentences, less "
        "that with the rest of negative ones.",
        first=16,
    )


def sentiment_labels(sums: Sums, labels: Mapping[str, int]) -> Table:
    """How many sentences and mentions have each label, and how sure it is."""
    rows = tuple(
        (name, labels[name], count, confidence)
        for name, count, confidence in zip(
            ("positive", "negative"), sums.counts, sums.mean_confidence, strict=True
        )
    )
    return Table(
        id="sentiment",
        title="Sentiment of the sentences",
        columns=(
            Column(label="label"),
            Column(label="sentences", digits=0),
            Column(label="mentions used", digits=0),
            Column(label="mean confidence", digits=3),
        ),
        rows=rows,
        caption="Scored with a mask in place of every person. Neutral sentences are left out.",
    )
