"""Verdicts on the change of a bias, or of a quality, from before to now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

from unslant.core.finding import BiasOutcome, Mark, Outcome, QualityOutcome
from unslant.core.measurement import Interval
from unslant.core.record import Change, Control, Meaning, Record, Result
from unslant.core.score import Better, better_side
from unslant.core.wording import UNDECIDED, brief, interval_text, percent

# Whether a change is larger than those of random controls.
#
# A method is called better or worse only if it is beyond *all* of its controls. If it did no more
# than a control, each of the n + 1 would be the most extreme one equally often, so this happens
# in at most 1 of n + 1 cases: 1 of 20 with 19 controls.

ENOUGH = 19
"""So many controls make a false claim in at most 1 of 20 cases."""


@dataclass(frozen=True)
class ControlShares:
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


def shares_of(results: Sequence[Result]) -> ControlShares:
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
    return ControlShares(means[0], tuple(means[1:]))


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


# The change of bias and quality over a whole record.

_FALSE = 0.025
"""How often the interval of no change at all lies on one side of it."""
_SELDOM = 0.05
_BIAS: tuple[BiasOutcome, ...] = ("removed", "reduced", "undecided", "worse")

_DID: Mapping[BiasOutcome, str] = {
    "removed": "removed the bias",
    "reduced": "reduced the bias",
    "worse": "increased the bias",
}


class BiasChange(NamedTuple):
    """The change in bias, in one sentence, and the shares behind it."""

    outcome: BiasOutcome | None
    sentence: str
    shares: ControlShares | None = None


def bias_change(record: Record) -> BiasChange:
    """Whether the bias changed by more than with every control, which way, and a sentence on it.

    More measures must also have changed clearly than would by chance.
    """
    found = _outcomes(record, _BIAS)
    total = found.total()
    if not total:
        said = f"{UNDECIDED}: whether the bias changed cannot be judged"
        return BiasChange(None, f"{said}, because no change has an interval.")
    shares = shares_of([r for r in record.results if r.finding and r.finding.outcome in _BIAS])
    what = record.treatment.expression if record.treatment else "The change"
    if len(shares.controls) < ENOUGH:
        why = _why_no_claim(record, len(shares.controls))
        whether = f"{what} changed the bias" if record.treatment else "the bias changed"
        said = f"{UNDECIDED}: whether {whether} cannot be told from chance: {why}."
        return BiasChange("undecided", said, shares)
    improved, worse = found["removed"] + found["reduced"], found["worse"]
    of = f"{total} {'measure' if total == 1 else 'measures'}"
    counts = f"better in {improved or 'none'} of {of}, worse in {worse or 'none'}"
    outcome: BiasOutcome = "undecided"
    if shares.is_beyond and shares.method > 0 and is_more_than_chance(improved, total):
        outcome = "removed" if found["removed"] == total else "reduced"
    elif shares.is_beyond and shares.method < 0 and is_more_than_chance(worse, total):
        outcome = "worse"
    most, many = percent(shares.most), len(shares.controls)
    if outcome != "undecided":
        by = f"by {percent(abs(shares.method))} on average"
        chance = f"none of {many} random controls changed it by more than {most}"
        return BiasChange(outcome, f"{what} {_DID[outcome]} {by}; {chance} ({counts}).", shares)
    moved = f"changed the bias by {_signed(-shares.method)} on average"
    chance = f"{many} random controls by up to {most}"
    few = ", and too few measures changed clearly" if shares.is_beyond else ""
    return BiasChange(outcome, f"{UNDECIDED}: {what} {moved}, {chance}{few} ({counts}).", shares)


def _why_no_claim(record: Record, many: int) -> str:
    """Why there are too few controls to claim a change."""
    if record.controls and record.controls.why_none:
        return record.controls.why_none
    if not many:
        return "no random controls were run"
    were = "control was" if many == 1 else "controls were"
    how = " (--controls 19)" if record.about == "probe" and many > 1 else ""
    return f"{many} {were} run, and a claim needs {ENOUGH}{how}"


def _signed(share: float) -> str:
    return f"{'−' if share < 0 else '+'}{percent(abs(share))}"


def quality_change(record: Record) -> tuple[QualityOutcome | None, str]:
    """The change in quality, the worst first."""
    found = _outcomes(record, ("kept", "lost", "improved", "unclear"))
    total = found.total()
    of = f"{total} {'benchmark' if total == 1 else 'benchmarks'}"
    if not total:
        return None, "Quality was not measured."
    if found["lost"]:
        return "lost", f"Quality is lost in {found['lost']} of {of}."
    if found["unclear"]:
        unsure = f"{found['unclear']} of {of} cannot exclude one"
        return "unclear", f"No loss of quality is shown; {unsure}."
    if found["improved"] == total:
        return "improved", "Quality improved."
    return "kept", "Quality is kept."


def _outcomes(record: Record, known: tuple[str, ...]) -> Counter[str]:
    found = (result.finding.outcome for result in record.results if result.finding)
    return Counter(outcome for outcome in found if outcome in known)


def is_more_than_chance(count: int, total: int) -> bool:
    """Whether this number of clear changes would be rare by chance."""
    tail = sum(
        comb(total, n) * _FALSE**n * (1 - _FALSE) ** (total - n) for n in range(count, total + 1)
    )
    return tail < _SELDOM
