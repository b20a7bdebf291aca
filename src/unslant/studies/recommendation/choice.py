"""The rules by which one method is recommended: functions of the study's numbers alone.

Every method has two shares, each with its resamples: of the bias that it removes (the mean over
kinds of measures, so that six association tests weigh no more than one inference model), and of
the quality that it keeps. A method is *shown to work* if at least one measure of bias is clearly
better and beyond every random control, and the lower end of its removed share is above that of
every control. What another method that may be chosen beats (nowhere worse by the two shares and
somewhere better, by more than the resamples that both share leave open) is never recommended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unslant.core.record import Purpose
from unslant.core.types import Array
from unslant.core.wording import percent

# A number with its resamples, so that sums and differences of numbers have intervals too.

FEWEST_DRAWS = 100
"""Fewer have no interval: its ends would be the extremes."""
_ENDS = (2.5, 97.5)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value and the same value on resamples, none if it has no interval."""

    value: float
    draws: Array | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % interval by percentiles, which holds the value."""
        if self.draws is None or len(self.draws) < FEWEST_DRAWS:
            return None
        low, high = np.percentile(self.draws, _ENDS)
        return min(float(low), self.value), max(float(high), self.value)

    @property
    def low(self) -> float:
        """The lower end of the interval, the value itself if there is none."""
        return self.bounds[0] if self.bounds else self.value

    def __sub__(self, other: "Estimate") -> "Estimate":
        """The difference on the same resamples; a number without any counts as exact."""
        mine, theirs = _as_long([self, other])
        draws = None if mine is None or theirs is None else mine - theirs
        return Estimate(self.value - other.value, draws)


def mean(items: Sequence[Estimate]) -> Estimate:
    """The mean of several; those without resamples count as exact, unless none has any.

    >>> mean([Estimate(0.2), Estimate(0.4)]).value
    0.30000000000000004
    """
    draws = _as_long(items)
    known = [part for part in draws if part is not None]
    return Estimate(
        float(np.mean([item.value for item in items])),
        np.mean(known, axis=0) if known else None,
    )


def _as_long(items: Sequence[Estimate]) -> list[Array | None]:
    """The resamples of each, as many as the one with fewest has; constants if it has none."""
    lengths = [len(item.draws) for item in items if item.draws is not None]
    if not lengths:
        return [None] * len(items)
    least = min(lengths)
    return [
        np.full(least, item.value) if item.draws is None else item.draws[:least] for item in items
    ]


TOLERATED = 0.05
"""For shipping, each measure of quality keeps at least 1 − this share of its value."""
SAME = 0.01
"""Two methods whose removed shares differ by less than this are equally good in any case."""

NO_BIAS = "the original vectors show no bias that could be removed"

RULES: Mapping[Purpose, str] = {
    "shipping": "Of the methods that are shown to work, that keep at least "
    f"{100 * (1 - TOLERATED):.0f} % of every measure of quality and that make no downstream "
    "measure clearly worse, the one that removes most bias; of those that cannot be told apart, "
    "the simplest.",
    "audit": "Of the methods that are shown to work, the one that clearly improves most measures "
    "beyond every random control, whatever it costs in quality; then the one that removes most "
    "bias; of those that cannot be told apart, the simplest.",
    "research": "Every method that is shown to work and that no other beats in both bias removed "
    "and quality kept; named first is the one that removes most bias, and of those that cannot be "
    "told apart, the simplest.",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """One method with its shares by measure.

    ``kinds`` are the kinds of the measures of bias; ``better`` and ``worse`` name measures of
    bias that changed clearly on the same resamples; ``downstream`` those of a model's answers.
    ``controls`` are the same numbers after removing as many random directions.
    """

    method: str
    expression: str
    cost: int = 0
    removed: Mapping[str, Estimate]
    kept: Mapping[str, Estimate]
    kinds: Mapping[str, str]
    better: frozenset[str] = frozenset()
    worse: frozenset[str] = frozenset()
    downstream: frozenset[str] = frozenset()
    controls: tuple["Option", ...] = field(default=(), repr=False)

    @cached_property
    def bias(self) -> Estimate:
        """The share of the bias that is removed, every kind of measure counting once."""
        by_kind: dict[str, list[Estimate]] = {}
        for measure, share in self.removed.items():
            by_kind.setdefault(self.kinds[measure], []).append(share)
        return mean([mean(some) for some in by_kind.values()])

    @cached_property
    def quality(self) -> Estimate:
        """The share of the quality that is kept; all of it if nothing of it was measured."""
        return mean(list(self.kept.values())) if self.kept else Estimate(1.0)

    @cached_property
    def beyond_chance(self) -> frozenset[str]:
        """The measures that are clearly better, and better than after every random control."""
        return frozenset(
            measure
            for measure in self.better
            if all(
                self.removed[measure].value > control.removed[measure].value
                for control in self.controls
                if measure in control.removed
            )
        )

    @property
    def is_shown(self) -> bool:
        """Whether it does more than random directions do."""
        chance = max((control.bias.value for control in self.controls), default=0.0)
        return bool(self.beyond_chance) and self.bias.low > max(chance, 0.0)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The result of a rule: the method or none, and why each other was not chosen."""

    chosen: Option | None
    tied: tuple[Option, ...] = ()
    runners_up: tuple[Option, ...] = ()
    front: tuple[Option, ...] = ()
    why_not: Mapping[str, str] = field(default_factory=dict)


def beats(one: Option, other: Option) -> bool:
    """Whether one is nowhere worse than the other by the two shares and somewhere better."""
    mine = one.bias.value, one.quality.value
    theirs = other.bias.value, other.quality.value
    return mine != theirs and all(a >= b for a, b in zip(mine, theirs, strict=True))


def clearly_beats(one: Option, other: Option) -> bool:
    """Whether one beats the other by either share, with a difference beyond the intervals."""
    pairs = ((one.bias, other.bias), (one.quality, other.quality))
    return beats(one, other) and not all(_is_alike(mine, theirs) for mine, theirs in pairs)


def _is_alike(larger: Estimate, smaller: Estimate) -> bool:
    difference = larger - smaller
    return difference.value < SAME or difference.low <= 0


def front_of(options: Sequence[Option]) -> tuple[Option, ...]:
    """The options that no other beats, most bias removed first."""
    best = [item for item in options if not any(beats(other, item) for other in options)]
    return tuple(sorted(best, key=lambda item: (-item.bias.value, item.cost, item.method)))


def why_not(option: Option, options: Sequence[Option], purpose: Purpose) -> str:
    """Why a method is out of the question for a purpose; empty if it is not."""
    if not option.is_shown:
        return "does no more than removing random directions"
    if purpose == "shipping":
        lost = [name for name, share in option.kept.items() if share.value < 1 - TOLERATED]
        if lost:
            least = min(lost, key=lambda name: option.kept[name].value)
            return f"keeps only {percent(option.kept[least].value, 0)} of {least}"
        if worse := sorted(option.worse & option.downstream):
            return f"makes {worse[0]} clearly worse"
    rivals = [other for other in options if other is not option and other.is_shown]
    if purpose == "shipping":
        rivals = [other for other in rivals if not _lost(other)]
    by = next((other for other in rivals if clearly_beats(other, option)), None)
    return _how_beaten(option, by) if by else ""


def _how_beaten(option: Option, by: Option) -> str:
    """By which of the two shares a method is beaten; by the other, it may be equal."""
    removes = "more" if by.bias.value > option.bias.value else "as much"
    keeps = "more" if by.quality.value > option.quality.value else "as much"
    return f"{by.method} removes {removes} bias and keeps {keeps} quality"


def _lost(option: Option) -> bool:
    is_worse = any(share.value < 1 - TOLERATED for share in option.kept.values())
    return is_worse or bool(option.worse & option.downstream)


def choose(options: Sequence[Option], purpose: Purpose, *, shows_bias: bool = True) -> Choice:
    """Apply the rule of a purpose; nothing is chosen where the original shows no bias."""
    if not shows_bias:
        return Choice(chosen=None, why_not={item.method: NO_BIAS for item in options})
    reasons = {item.method: why_not(item, options, purpose) for item in options}
    left = [item for item in options if not reasons[item.method]]
    front = front_of([item for item in options if item.is_shown])
    if not left:
        return Choice(chosen=None, front=front, why_not=reasons)

    best = max(left, key=lambda item: (*_merit(item, purpose), -item.cost, item.method))
    alike = [item for item in left if item is best or _is_same(best, item, purpose)]
    chosen = min(alike, key=lambda item: (item.cost, -item.bias.value, item.method))
    order = sorted(left, key=lambda item: (*(-part for part in _merit(item, purpose)), item.cost))
    for item in order:
        if item is not chosen:
            reasons[item.method] = (
                f"cannot be told from {chosen.method}, which is simpler"
                if item in alike and item.cost > chosen.cost
                else f"cannot be told from {chosen.method}, which removes at least as much"
                if item in alike
                else _why_behind(item, best, purpose)
            )
    return Choice(
        chosen=chosen,
        tied=tuple(item for item in order if item in alike and item is not chosen),
        runners_up=tuple(item for item in order if item not in alike),
        front=front,
        why_not=reasons,
    )


def _why_behind(option: Option, best: Option, purpose: Purpose) -> str:
    """In what the chosen method is better, by the rule."""
    mine, others = (int(_merit(item, purpose)[0]) for item in (option, best))
    if others > mine:
        return f"{best.method} clearly improves {others} measures, it {mine}"
    return f"{best.method} removes more bias"


def _merit(option: Option, purpose: Purpose) -> tuple[float, float]:
    """The sort key of a rule: for an audit the number of measures first, else the bias removed."""
    count = len(option.beyond_chance) if purpose == "audit" else 0
    return count, option.bias.value


def _is_same(best: Option, other: Option, purpose: Purpose) -> bool:
    """Whether the other does not differ measurably from the best: 0 is in the interval."""
    return (
        _is_alike(best.bias, other.bias) and _merit(best, purpose)[0] == _merit(other, purpose)[0]
    )
