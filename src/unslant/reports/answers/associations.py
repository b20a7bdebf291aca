"""How strong an association test is, in words."""

from unslant.core import wording
from unslant.core.finding import Finding
from unslant.core.measurement import Measurement
from unslant.core.record import Record, Result
from unslant.core.wording import UNDECIDED, number
from unslant.reports.results import meaning_of

_ADVERBS = {"strong": "strongly", "moderate": "moderately", "weak": "weakly"}


def change_words(finding: Finding | None) -> str:
    """A change in a few words; empty if it is not judged."""
    if finding is None or finding.outcome is None:
        return ""
    unclear = "change undecided" if finding.outcome == "undecided" else "no clear change"
    return {"better": "a clear improvement", "worse": "clearly worse"}.get(finding.mark, unclear)


def pairs_of(record: Record, item: Measurement) -> str:
    """The pairs of a contrast, such as ``math with male terms and …``."""
    meaning = meaning_of(record, item)
    if meaning is None or not meaning.is_contrast or len(item.words) != 4 or not item.value:
        return ""
    first, second, one, other = (use.set for use in item.words)
    if item.value < 0:
        one, other = other, one
    return f"{first} with {one} and {second} with {other}"


def association(record: Record, result: Result, *, is_only: bool) -> str:
    """A sentence on one association test, with its size, its scale and its interval."""
    item = result.now
    scale = wording.scale(meaning_of(record, item))
    sure = interval_note(item, 2)
    on = f" on a scale of {scale}" if scale else ""
    size = f"{number(item.value, 2)}{on}{f'; {sure}' if sure else ''}"
    pairs = pairs_of(record, item)
    if not pairs or item.value is None:
        what = "The association test" if is_only else "The strongest association"
        return f"{what} is “{item.title}” ({size})."
    level = result.finding.level if result.finding else "not judged"
    if level == "undecided":
        what = "the tested association" if is_only else "the strongest association"
        return f"{UNDECIDED}: {what}, {pairs}, may be 0 or very small ({size})."
    also = "" if is_only else ", the strongest association found"
    if level == "not judged":
        return f"These vectors may associate {pairs} ({size}){also}; it is not judged."
    return f"These vectors associate {pairs}{_adverb(result)} ({size}){also}."


def _adverb(result: Result) -> str:
    """How strongly for sure, with what is probable."""
    finding = result.finding
    if finding is None or finding.level not in _ADVERBS:
        return ""
    least = "at least " if finding.probable else ""
    return f" {least}{_ADVERBS[finding.level]}"


def interval_note(item: Measurement, digits: int) -> str:
    """The interval with its level, such as ``95 % interval 1.45 to 1.84``."""
    if item.interval is None:
        return "no interval"
    return wording.interval_text(item.interval, digits)
