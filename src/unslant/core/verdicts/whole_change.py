"""What became of the bias and the quality in a whole record."""

from collections import Counter
from collections.abc import Mapping
from math import comb

from unslant.core.finding import BiasOutcome, QualityOutcome
from unslant.core.record import Record

_FALSE = 0.025
"""How often the interval of no change at all lies on one side of it."""
_SELDOM = 0.05

_SAID: Mapping[BiasOutcome, str] = {
    "removed": "removed the bias",
    "reduced": "reduced the bias",
    "unchanged": "did not clearly change the bias",
    "worse": "increased the bias",
    "mixed": "reduced the bias in some measures and increased it in others",
}


def bias_change(record: Record) -> tuple[BiasOutcome | None, str]:
    """Whether more measures changed than would by chance, which way, and a sentence on it."""
    found = _outcomes(record, ("removed", "reduced", "unchanged", "worse"))
    total = found.total()
    if not total:
        return None, "Whether the bias changed is not judged: no change has an interval."
    improved, worse = found["removed"] + found["reduced"], found["worse"]
    is_better, is_worse = (is_more_than_chance(count, total) for count in (improved, worse))
    outcome: BiasOutcome = "unchanged"
    if is_better and is_worse:
        outcome = "mixed"
    elif is_worse:
        outcome = "worse"
    elif is_better:
        outcome = "removed" if found["removed"] == total else "reduced"
    what = record.treatment.expression if record.treatment else "The change"
    of = f"{total} {'measure' if total == 1 else 'measures'}"
    counts = f"better in {improved} of {of}, worse in {worse or 'none'}"
    return outcome, f"{what} {_SAID[outcome]} ({counts})."


def quality_change(record: Record) -> tuple[QualityOutcome | None, str]:
    """What became of the quality, the worst first."""
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
    """Whether so many changes would seldom be clear if nothing had changed."""
    tail = sum(
        comb(total, n) * _FALSE**n * (1 - _FALSE) ** (total - n) for n in range(count, total + 1)
    )
    return tail < _SELDOM
