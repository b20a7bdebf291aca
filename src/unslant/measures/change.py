"""From before to now: the change of a measurement on the same resamples, with its interval.

Both values are measured on the same resampled words, so what the words have in common cancels out:
the interval is that of the change, and not of two values that would differ by chance. Whether the
change is for the better is decided on the distance from the better side, so an effect that only
changed its sign is neither better nor worse.
"""

from collections.abc import Callable, Sequence

import numpy as np

from unslant.core.measurement import Draws, Interval, Measurement, PValue
from unslant.core.record import Change, Control, Corrected, Verdict
from unslant.core.score import Better, better_side
from unslant.core.types import Array
from unslant.measures.registry import score_of
from unslant.numerics.bootstrap import bca_ends, is_enough, percentile_bounds
from unslant.numerics.permutation import benjamini_hochberg, holm

LEVEL = 0.95
_NO_BASE = "the value before is 0, and no change is a percentage of that"


Form = Callable[[Array], Array]


def change_of(now: Measurement, before: Measurement) -> Change:
    """The change between two measurements that compare."""
    if now.value is None or before.value is None:
        return Change(difference=None, why_undefined=now.why_undefined or before.why_undefined)
    difference = now.value - before.value
    percent = 100 * difference / before.value if before.value else None
    if now.draws is None or before.draws is None or now.draws.key != before.draws.key:
        return Change(difference=difference, percent=percent)
    pair = now.draws, before.draws
    old = before.draws.values
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(old != 0, 100 * (now.draws.values - old) / old, np.nan)
    bounds = percentile_bounds(shares, LEVEL) if percent is not None else None
    how = f"{now.draws.how}, the same resamples before and after"
    return Change(
        difference=difference,
        interval=_interval(difference, *pair, lambda values: values),
        percent=percent,
        percent_interval=Interval(low=bounds[0], high=bounds[1], level=LEVEL, how=how)
        if bounds
        else None,
        verdict=_verdict(now.value, before.value, *pair, better_side(now.better)),
        why_undefined="" if percent is not None else _NO_BASE,
    )


def _interval(value: float, now: Draws, before: Draws, form: Form) -> Interval | None:
    """The interval of the difference of two forms of the values, such as of their gaps."""
    draws = form(now.values) - form(before.values)
    how = f"{now.how}, the same resamples before and after"
    if now.without and before.without:
        pairs = zip(now.without, before.without, strict=True)
        without = [form(mine) - form(theirs) for mine, theirs in pairs]
        ends = bca_ends(value, draws, without, LEVEL) if is_enough(draws, without) else None
    else:
        ends = percentile_bounds(draws, LEVEL)
    return Interval(low=ends[0], high=ends[1], level=LEVEL, how=how) if ends else None


def _verdict(
    now: float, before: float, drawn: Draws, drawn_before: Draws, better: Better | None
) -> Verdict:
    if better is None:
        return "unknown"
    gap = better.gap(now) - better.gap(before)
    interval = _interval(gap, drawn, drawn_before, better.gap)
    if interval is None:
        return "unknown"
    if interval.low <= 0 <= interval.high:
        return "unclear"
    return "better" if interval.high < 0 else "worse"


# Does debiasing do more than removing any direction would?

_TOLERANCE = 1e-12


def control_of(
    now: Measurement, random: Sequence[Measurement], directions: int, instead: str = ""
) -> Control | None:
    """Compare a measurement with its random controls; None if one is undefined.

    ``instead`` says what the controls are if they are something else. p is the share of the
    controls, the debiased result counted in, that are at least as good; with eight controls it
    cannot be below 1/9.
    """
    values = [item.value for item in random if item.value is not None]
    if now.value is None or not values or len(values) < len(random):
        return None
    mean = float(np.mean(values))
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    # Controls that differ by rounding only have no spread to measure with.
    is_spread = sd is not None and sd > _TOLERANCE * max(1.0, abs(mean))
    better = better_side(now.better)
    return Control(
        values=tuple(values),
        directions=directions,
        mean=mean,
        sd=sd,
        deviations=(now.value - mean) / sd if is_spread and sd else None,
        p=_p_value(now.value, values, better) if better else None,
        instead=instead,
    )


def _p_value(value: float, controls: Sequence[float], better: Better) -> PValue:
    """How often a random direction does at least as well."""
    most = better.gap(value) + _TOLERANCE * max(1.0, abs(value))
    as_good = sum(better.gap(control) <= most for control in controls)
    return PValue(
        value=(as_good + 1) / (len(controls) + 1),
        how="monte carlo",
        alternative={"larger": "greater", "smaller": "less"}.get(better.text, better.text),
        outcomes=len(controls) + 1,
    )


# P-values corrected for how many tests of the same kind there are.


def corrected(found: Sequence[Measurement]) -> list[Corrected | None]:
    """For each measurement with a p-value, that value corrected within its score's family."""
    families: dict[str, list[int]] = {}
    for place, item in enumerate(found):
        if item.p is not None:
            families.setdefault(score_of(item.metric), []).append(place)
    results: list[Corrected | None] = [None] * len(found)
    for places in families.values():
        values = [p.value for place in places if (p := found[place].p) is not None]
        for place, strict, loose in zip(
            places, holm(values).tolist(), benjamini_hochberg(values).tolist(), strict=True
        ):
            results[place] = Corrected(holm=strict, benjamini_hochberg=loose)
    return results
