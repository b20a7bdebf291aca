"""Bias removed against quality kept: the methods that a recommendation weighed."""

from dataclasses import replace

from unslant.core.record import Considered, MethodShare, Recommendation
from unslant.core.score import LARGER
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.front import Bounds, Side, Spot, chart
from unslant.reports.figures.theme import FIRST, QUIET, SECOND
from unslant.reports.recommendation import share_text

_RECOMMENDED = "recommended"
_LEGEND = {
    "beaten by none": ("diamond", FIRST),
    "beaten by another": ("circle", QUIET),
    "random control, beaten by none": ("cross", FIRST),
    "random control": ("cross", QUIET),
    _RECOMMENDED: ("triangle-up", SECOND),
}
_MOST = 100
_SIDES = Side("bias removed, %", LARGER), Side("quality kept, %", LARGER)


def recommended(found: Recommendation) -> Figure | None:
    """The methods between the two shares, with the random controls; None if there is none."""
    spots = [_spot(item, found) for item in reversed(found.considered)]  # the first one on top
    if not any(spot.is_best for spot in spots):  # the line needs a method that works
        spots = [_unbeaten(spot, spots) for spot in spots]
    if not spots:
        return None
    chosen = f"The recommended method is {found.method}. " if found.method else ""
    return Figure(
        name="recommended",
        title="Bias removed and quality kept by each method",
        caption=f"{chosen}Each point is a method; crosses are random controls, which removed as "
        "many random directions. Methods on the broken line are beaten by none: no other removes "
        "more and keeps at least as much. Thin lines are 95 % intervals over the same resamples "
        "before and after.",
        description="; ".join(
            f"{item.method}: {share_text(item.removed)} of the bias removed, "
            f"{share_text(item.kept)} of the quality kept"
            for item in found.considered
            if not item.is_control
        ),
        chart=chart(spots, _SIDES, _LEGEND, most_bars=_MOST),
    )


def _spot(item: Considered, found: Recommendation) -> Spot:
    return Spot(
        name="" if item.is_control else item.method,
        x=100 * item.removed.value,
        y=100 * item.kept.value,
        across=_bounds(item.removed) if not item.is_control else None,
        upwards=_bounds(item.kept) if not item.is_control else None,
        is_best=item.is_on_front,
        is_original=item.is_control,
        numbers=f"{share_text(item.removed)} and {share_text(item.kept)}",
        says={
            "resource": "a random control" if item.is_control else "",
            "method": item.method,
            "first": share_text(item.removed),
            "second": share_text(item.kept),
            "worse": item.why_not,
        },
        kind=_RECOMMENDED if item.method == found.method else "",
    )


def _bounds(share: MethodShare) -> Bounds | None:
    if share.low is None or share.high is None:
        return None
    return 100 * share.low, 100 * share.high


def _unbeaten(spot: Spot, spots: list[Spot]) -> Spot:
    """The same spot, marked if no other has more of both."""
    here = spot.x, spot.y
    is_beaten = any(o.x >= spot.x and o.y >= spot.y and (o.x, o.y) != here for o in spots)
    return replace(spot, is_best=not is_beaten)
