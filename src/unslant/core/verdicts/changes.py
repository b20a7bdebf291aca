"""Verdicts on the change of a bias, or of a quality, from before to now."""

from dataclasses import dataclass

from unslant.core.better import Better, better_side
from unslant.core.finding import BiasOutcome, Mark, Outcome
from unslant.core.measurement import Interval
from unslant.core.record import Change, Control, Meaning, Result
from unslant.core.verdicts.chance import ENOUGH
from unslant.core.wording import brief, interval_text

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Changed:
    """An outcome with its sentence; no outcome if the change cannot be judged."""

    sentence: str
    outcome: Outcome | None = None
    mark: Mark = ""


def change_in_bias(result: Result, meaning: Meaning | None) -> Changed | None:
    """The change in a bias; None if there is nothing to compare with."""
    change, better = _comparable(result)
    if change is None or better is None:
        return None
    moved = _moved(result, change)
    if change.verdict == "unknown":
        return Changed(f"The change is not judged: it has no interval ({moved}).")
    if change.verdict == "unclear" or _includes_none(change):
        return Changed(f"Whether it changed is undecided: {moved}.", "undecided")
    control = result.control
    if control is None:
        why = "no random control was run"
        return Changed(f"Whether it changed is undecided, because {why}: {moved}.", "undecided")
    if len(control.values) < ENOUGH:
        why = f"{_controls(control)}, and a claim needs {ENOUGH}"
        return Changed(f"Whether it changed is undecided, after {why}: {moved}.", "undecided")
    is_worse = change.verdict == "worse"
    if not _is_beyond(result, control, better, is_worse=is_worse):
        instead = control.instead or "removing random directions"
        why = f"a control does as much ({instead})"
        return Changed(f"Whether it changed is undecided, because {why}: {moved}.", "undecided")
    if is_worse:
        return Changed(f"It became worse: {moved}.", "worse", "worse")
    outcome: BiasOutcome = "removed" if _is_gone(result, better, meaning) else "reduced"
    return Changed(f"It was {outcome}: {moved}.", outcome, "better")


def change_in_quality(result: Result, meaning: Meaning | None) -> Changed | None:
    """The change in a quality; None if there is nothing to compare with.

    It is kept if the interval excludes a loss larger than the one that is tolerated.
    """
    change, better = _comparable(result)
    if change is None or better is None:
        return None
    moved, found = _moved(result, change), change.interval
    if change.verdict == "unknown":
        return Changed(f"The change is not judged: it has no interval ({moved}).")
    if change.verdict == "better":
        return Changed(f"Quality improved: {moved}.", "improved", "better")
    loss = _largest_loss(found, better) if found else None
    tolerated = meaning.tolerated if meaning else None
    if tolerated is not None and loss is not None and loss <= tolerated:
        at_most = f"a loss of more than {brief(tolerated)} is excluded"
        return Changed(f"Quality is kept: {at_most} ({moved}).", "kept")
    if change.verdict == "worse":
        return Changed(f"Quality is lost: {moved}.", "lost", "worse")
    possible = "" if loss is None else f", but up to {brief(loss)} is possible"
    return Changed(f"No loss of quality is shown{possible} ({moved}).", "unclear")


def _includes_none(change: Change) -> bool:
    """Whether the change may be 0: an interval of distances alone may say otherwise near 0."""
    found = change.interval
    return found is not None and found.low <= 0 <= found.high


def _comparable(result: Result) -> tuple[Change | None, Better | None]:
    change = result.change
    if change is None or change.difference is None or result.not_comparable:
        return None, None
    return change, better_side(result.now.better)


def _moved(result: Result, change: Change) -> str:
    """From which value to which, with the interval of the change."""
    before = result.before.value if result.before else None
    now = result.now.value
    said = "" if before is None or now is None else f"from {brief(before)} to {brief(now)}"
    if change.interval is None:
        return said
    return f"{said}, {interval_text(change.interval).replace('interval', 'interval of the change')}"


def _controls(control: Control) -> str:
    """How many controls there are, such as ``4 controls``."""
    return f"{len(control.values)} {'control' if len(control.values) == 1 else 'controls'}"


def _is_beyond(result: Result, control: Control, better: Better, *, is_worse: bool) -> bool:
    """Whether the value is better than with every control, or worse than with every one."""
    value = result.now.value
    assert value is not None, "what has a change has a value"
    margin = _ROUNDING * max(1.0, abs(value))
    gap, gaps = better.gap(value), [better.gap(other) for other in control.values]
    return gap > max(gaps) + margin if is_worse else gap < min(gaps) - margin


def _is_gone(result: Result, better: Better, meaning: Meaning | None) -> bool:
    """Whether everything in the interval is too small to count as weak."""
    scale, found = meaning.scale if meaning else None, result.now.interval
    if scale is None or scale.steps is None or found is None:
        return False
    return scale.distances(better, found.low, found.high)[1] < scale.steps[0]


def _largest_loss(change: Interval, better: Better) -> float:
    """The largest loss within the interval of a change, of a score without a goal."""
    worst = change.high if better.text == "smaller" else -change.low
    return max(0.0, worst)
