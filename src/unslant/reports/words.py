"""The small texts that every view shares: numbers, intervals, p-values, lists of words."""

import re
from collections.abc import Sequence

from unslant.core.measurement import Interval, PValue, WordUse
from unslant.core.record import Fact, Meaning, MovementFacts, StageFacts
from unslant.core.visible import visible as visible

_ABBREVIATIONS = {
    *("weat", "sc", "ect", "rnd", "rnsb", "mac", "ripa", "eqt", "mdl", "gipe", "midb"),
    *("seat", "ceat", "nli", "aul", "cbs", "lpbs", "eec"),
}
_SYMMETRIC = re.compile(r"(?:about )?−([\d.]+) to \1")


def number(value: float | None, digits: int = 3) -> str:
    """A value as reports print it; an undefined one is NA.

    >>> number(-0.1234), number(-1e-9), number(None)
    ('−0.123', '0.000', 'NA')
    """
    if value is None:
        return "NA"
    # Adding 0 makes a plain 0 of the −0 that rounding leaves.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def called(measure: str) -> str:
    """What readers call a measure, not how one types it.

    >>> called("sc-weat"), called("single-attribute-weat"), called("direct-bias")
    ('SC-WEAT', 'single-attribute WEAT', 'direct bias')
    """
    parts = [part.upper() if part in _ABBREVIATIONS else part for part in measure.split("-")]
    if all(part.isupper() for part in parts):
        return "-".join(parts)
    *qualifiers, last = parts
    name = "-".join(qualifiers)
    return f"{name} {last}" if name else last


def percent(share: float, digits: int = 0) -> str:
    """A share in percent.

    >>> percent(0.8372)
    '84 %'
    """
    return f"{number(100 * share, digits)} %"


def interval(found: Interval | None, digits: int = 3) -> str:
    """The ends of an interval, such as ``1.45 to 1.84``; nothing if there is none."""
    return f"{number(found.low, digits)} to {number(found.high, digits)}" if found else ""


def level(found: Interval) -> str:
    """The confidence of an interval, such as ``95 %``."""
    return percent(found.level)


def p_value(p: PValue | None) -> str:
    """A p-value, as a bound if no sampled outcome beat the data."""
    if p is None:
        return "NA"
    return f"≤ {probability(p.value)}" if p.is_floor else probability(p.value)


def probability(value: float) -> str:
    """A probability with as many digits as it needs."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def how_p(p: PValue | None) -> str:
    """How a p-value was computed, in a few words."""
    if p is None:
        return ""
    splits = f"{p.outcomes:,}" if p.outcomes < 10**7 else f"{p.outcomes:.1e}"
    kind = "all" if p.how == "exact" else "sampled"
    error = f", error at most {p.error:.0e}" if p.error else ""
    return f"{kind} {splits} splits{error}"


def words_used(uses: Sequence[WordUse]) -> str:
    """How many of the requested words a number used, such as ``30/32``."""
    used = sum(len(use.used) for use in uses)
    missing = sum(len(use.missing) + len(use.set_aside) for use in uses)
    return f"{used}/{used + missing}" if uses else ""


def counted(count: int, thing: str, things: str | None = None) -> str:
    """A number of things, such as ``1 word`` or ``1,200 words``; its plural may be given."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def some(words: Sequence[str], most: int) -> str:
    """The first ``most`` words, and how many more there are."""
    rest = f" and {len(words) - most:,} more" if len(words) > most else ""
    return f"{', '.join(words[:most])}{rest}"


def scale(meaning: Meaning | None) -> str:
    """The range of a measure, such as ``±2``; nothing if it is not known."""
    text = meaning.range if meaning else ""
    found = _SYMMETRIC.fullmatch(text)
    return f"±{found[1]}" if found else text


def named(key: str) -> str:
    """A key as a reader sees it.

    >>> named("words-left-alone")
    'words left alone'
    """
    return key.replace("-", " ")


def fact(value: Fact) -> str:
    """A fact of any type as text."""
    if isinstance(value, tuple):
        return "; ".join(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value, 4) if isinstance(value, float) else str(value)


def movement(moved: MovementFacts) -> list[str]:
    """How many vectors debiasing changed and how far it turned them."""
    sentences = [
        f"{moved.share_changed:.1%} of {moved.words:,} vectors changed and "
        f"{moved.share_turned:.1%} turned by more than a tenth of a degree: "
        f"{moved.mean_degrees:.1f}° on average and {moved.most_degrees:.1f}° at most."
    ]
    if moved.moved_most:
        sentences.append(f"Moved furthest: {', '.join(item.word for item in moved.moved_most)}.")
    return sentences


def lacking(stage: StageFacts, most: int) -> str:
    """The words that a method needs and the vectors lack, the first ``most`` by name."""
    return some(sorted({word for use in stage.words for word in use.missing}), most)


def sentence(parts: Sequence[str]) -> str:
    """Clauses as one sentence, with a large first letter and a full stop."""
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
