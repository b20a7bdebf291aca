"""Whether a change is larger than those of random controls.

A method is called better or worse only if it is beyond *all* of its controls. If it did no more
than a control, each of the n + 1 would be the most extreme one equally often, so this happens in
at most 1 of n + 1 cases: 1 of 20 with 19 controls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.better import better_side
from unslant.core.record import Result

ENOUGH = 19
"""So many controls make a false claim in at most 1 of 20 cases."""


@dataclass(frozen=True)
class Shares:
    """The mean share of the bias that is gone, and the same with each control instead.

    The share of one measure is that of the distance from its better side, all its results
    together, and every measure counts the same: six association tests weigh no more than one
    classifier. A bias that more than doubled counts as −1.
    """

    method: float
    controls: tuple[float, ...]

    @property
    def most(self) -> float:
        """The largest change by any control, in either direction."""
        return max(map(abs, self.controls), default=0.0)

    @property
    def is_beyond(self) -> bool:
        """Whether the method changed the bias by more than every control, in either direction.

        Both directions count together, so that less *or* more bias is claimed by chance in at
        most 1 of 20 cases.
        """
        return len(self.controls) >= ENOUGH and abs(self.method) > self.most


def shares_of(results: Sequence[Result]) -> Shares:
    """The shares over the results that have controls."""
    known = [result for result in results if result.control and result.before]
    many = min((len(result.control.values) for result in known if result.control), default=0)
    by_measure: dict[str, list[Result]] = {}
    for result in known:
        by_measure.setdefault(result.now.metric, []).append(result)
    columns = [
        (_share(some, None), *(_share(some, number) for number in range(many)))
        for some in by_measure.values()
    ]
    means = [sum(column) / len(columns) for column in zip(*columns, strict=True)] or [0.0]
    return Shares(means[0], tuple(means[1:]))


def _share(results: Sequence[Result], number: int | None) -> float:
    """The share of the bias by one measure that is gone, with the method or with a control."""
    gone = total = 0.0
    for result in results:
        better, before = better_side(result.now.better), result.before
        value = result.now.value
        if number is not None and result.control:
            value = result.control.values[number]
        if better is None or value is None or before is None or before.value is None:
            continue
        gone += better.gap(before.value) - better.gap(value)
        total += abs(better.gap(before.value))
    return max(-1.0, min(1.0, gone / total)) if total else 0.0
