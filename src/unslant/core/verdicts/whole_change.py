"""The change of bias and quality over a whole record."""

from collections import Counter
from collections.abc import Mapping
from math import comb
from typing import NamedTuple

from unslant.core.finding import BiasOutcome, QualityOutcome
from unslant.core.record import Record
from unslant.core.verdicts.chance import ENOUGH, Shares, shares_of
from unslant.core.wording import UNDECIDED, percent

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
    shares: Shares | None = None


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
