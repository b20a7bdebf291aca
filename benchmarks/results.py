"""One line of the table, and the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Result:
    """A figure of ours beside a peer's or a floor's, and what it should be.

    Figures are seconds, bytes or exponents. ``ratio`` is theirs / ours for seconds (how many times
    faster) and ours / theirs for the others (how many times as much); an exponent is of the times
    of ``our_runs`` at ``sizes``. ``met`` is None where nothing was
    promised. The times of all runs are kept, the best of them counts.
    """

    name: str
    unit: str
    ours: float
    against: str
    theirs: float
    ratio: float
    target: str = ""
    met: bool | None = None
    our_runs: tuple[float, ...] = ()
    their_runs: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()


def faster(
    name: str,
    ours: Sequence[float],
    against: str,
    theirs: Sequence[float],
    at_least: float | None = None,
) -> Result:
    """How many times faster the best run of ours is."""
    ratio = min(theirs) / min(ours)
    target, met = (f"at least {at_least:g} ×", ratio >= at_least) if at_least else ("", None)
    return _timed(name, ours, against, theirs, ratio, target, met)


def slower(
    name: str,
    ours: Sequence[float],
    floor: str,
    floors: Sequence[float],
    at_most: float | None = None,
) -> Result:
    """How many times as long ours takes as what cannot be done without."""
    ratio = min(ours) / min(floors)
    target, met = (f"at most {at_most:g} × the time", ratio <= at_most) if at_most else ("", None)
    return _timed(name, ours, floor, floors, ratio, target, met)


def _timed(
    name: str,
    ours: Sequence[float],
    against: str,
    theirs: Sequence[float],
    ratio: float,
    target: str,
    met: bool | None,
) -> Result:
    return Result(
        name=name,
        unit="seconds",
        ours=min(ours),
        against=against,
        theirs=min(theirs),
        ratio=ratio,
        target=target,
        met=met,
        our_runs=tuple(ours),
        their_runs=tuple(theirs),
    )


def within(
    name: str, ours: Sequence[float], against: str, theirs: Sequence[float], seconds: float
) -> Result:
    """A time that should stay below a bound, beside that of a peer."""
    beside = faster(name, ours, against, theirs)
    return replace(beside, target=f"under {_shown(seconds, 'seconds')}", met=min(ours) < seconds)


def memory(name: str, ours: int, against: str, theirs: int, at_most: float | None = None) -> Result:
    """How many times as much memory ours takes."""
    ratio = ours / theirs
    return Result(
        name=name,
        unit="bytes",
        ours=ours,
        against=against,
        theirs=theirs,
        ratio=ratio,
        target=f"at most {at_most:g} ×" if at_most else "",
        met=ratio <= at_most if at_most else None,
    )


def growth(
    name: str, what: str, sizes: Sequence[float], seconds: Sequence[float], at_most: float
) -> Result:
    """The power of a size that the time grows with, over the three largest."""
    last = slice(-3, None)
    exponent, _ = np.polyfit(np.log(sizes[last]), np.log(seconds[last]), 1)
    return Result(
        name=f"{name}, exponent over {what}",
        unit="exponent",
        ours=float(exponent),
        against="in proportion",
        theirs=1.0,
        ratio=float(exponent),
        target=f"at most {at_most:g}",
        met=bool(exponent <= at_most),
        our_runs=tuple(seconds),
        sizes=tuple(sizes),
    )


def table(results: Sequence[Result]) -> str:
    """All results as a Markdown table."""
    head = ["benchmark", "Unslant", "against", "its figure", "ratio", "target", "met"]
    lines = [head] + [
        [
            result.name,
            _shown(result.ours, result.unit),
            result.against,
            _shown(result.theirs, result.unit),
            f"{result.ratio:.2f} ×",
            result.target,
            {None: "", True: "yes", False: "NO"}[result.met],
        ]
        for result in results
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def _shown(figure: float, unit: str) -> str:
    if unit == "exponent":
        return f"{figure:.2f}"
    if unit == "bytes":
        return f"{figure / (1 << 20):,.0f} MiB"
    return f"{1000 * figure:.1f} ms" if figure < 0.1 else f"{figure:.2f} s"
