"""Numbers, intervals, p-values, shares and lists as text, for every view, message and verdict.

Tables print a fixed number of digits (:func:`number`), so that columns line up; sentences print as
many as the size of a number needs (:func:`brief`). A minus is the sign −, not a hyphen, an interval
is ``1.40 to 1.85``, and a percentage has a space before its sign.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # these modules print their values with this one
    from unslant.core.finding import Finding
    from unslant.core.measurement import Interval, PValue, WordUse
    from unslant.core.record import Fact, Meaning, MovementFacts, StageFacts

UNDECIDED = "Undecided"
"""How a sentence begins that claims neither a bias nor its absence, neither a change nor none."""

_ABBREVIATIONS = {
    *("weat", "sc", "ect", "rnd", "rnsb", "mac", "ripa", "eqt", "mdl", "gipe", "midb"),
    *("seat", "ceat", "nli", "aul", "cbs", "lpbs", "eec"),
}
_SYMMETRIC = re.compile(r"(?:about )?−([\d.]+) to \1")
_SMALL = 0.1
"""Smaller shares have a digit more, so that those which differ do not look alike."""


def number(value: float | None, digits: int = 3) -> str:
    """A value as reports print it; an undefined one is NA.

    >>> number(-0.1234), number(-1e-9), number(None)
    ('−0.123', '0.000', 'NA')
    """
    if value is None:
        return "NA"
    # Adding 0 makes a plain 0 of the −0 that rounding leaves.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = 3) -> str:
    """A change, with its sign.

    >>> signed(0.5, 1), signed(-0.25, 2)
    ('+0.5', '−0.25')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def brief(value: float) -> str:
    """A number within a sentence, with as many digits as its size needs.

    >>> brief(1.7181), brief(-0.1), brief(-0.0001), brief(54.31), brief(12345.6)
    ('1.72', '−0.100', '0', '54.3', '12,346')
    """
    if abs(value) < 0.0005:
        return "0"
    digits = next(n for least, n in ((1000, 0), (10, 1), (1, 2), (0, 3)) if abs(value) >= least)
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def percent(share: float, digits: int | None = None) -> str:
    """A share in percent; one below 10 % has a digit more, unless ``digits`` says otherwise.

    >>> percent(0.8372), percent(0.0281), percent(-0.5)
    ('84 %', '2.8 %', '−50 %')
    """
    own = (1 if 0 < share < _SMALL else 0) if digits is None else digits
    return f"{number(100 * share, own)} %"


def percent_within(share: float, low: float | None, high: float | None) -> str:
    """A share with its interval; an interval without width is left out.

    >>> percent_within(0.784, 0.6, 0.91), percent_within(0.784, None, None)
    ('78 % (60 to 91)', '78 %')
    """
    if low is None or high is None or number(100 * low, 0) == number(100 * high, 0):
        return percent(share, 0)
    return f"{percent(share, 0)} ({span(100 * low, 100 * high, 0)})"


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """From one number to another, such as ``1.45 to 1.84``."""
    return f"{number(low, digits)} to {number(high, digits)}"


def interval(found: "Interval | None", digits: int = 3) -> str:
    """The ends of an interval; nothing if there is none."""
    return span(found.low, found.high, digits) if found else ""


def interval_text(found: "Interval", digits: int | None = None) -> str:
    """An interval with its level, such as ``95 % interval 1.40 to 1.85``, for sentences."""
    ends = f"{brief(found.low)} to {brief(found.high)}"
    return f"{level(found.level)} {ends if digits is None else interval(found, digits)}"


def level(confidence: float) -> str:
    """What an interval of this confidence is called, such as ``95 % interval``."""
    return f"{percent(confidence)} interval"


def p_value(p: "PValue | None") -> str:
    """A p-value in a table, as a bound if no sampled outcome beat the data."""
    if p is None:
        return "NA"
    return f"≤ {probability(p.value)}" if p.is_floor else probability(p.value)


def probability(value: float) -> str:
    """A probability in a table, with as many digits as it needs."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def brief_p(p: float) -> str:
    """A p-value within a sentence.

    >>> brief_p(0.0618), brief_p(0.6)
    ('.062', '.60')
    """
    if p >= 1:
        return "1"
    return f"{p:.2f}".lstrip("0") if p >= 0.1 else f"{max(p, 0.001):.3f}".lstrip("0")


def how_p(p: "PValue | None") -> str:
    """How a p-value was computed, in a few words."""
    if p is None:
        return ""
    splits = f"{p.outcomes:,}" if p.outcomes < 10**7 else f"{p.outcomes:.1e}"
    kind = "all" if p.how == "exact" else "sampled"
    error = f", error at most {p.error:.0e}" if p.error else ""
    return f"{kind} {splits} splits{error}"


def level_text(finding: "Finding") -> str:
    """A level of bias in a few words: ``strong``, ``at least weak, probably moderate``."""
    if finding.probable:
        return f"at least {finding.level}, probably {finding.probable}"
    return "size not judged" if finding.level == "shown" else finding.level


def some(words: Sequence[str], most: int, joint: str = ", ") -> str:
    """The first ``most`` words, and how many more there are.

    >>> some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    rest = f" and {len(words) - most:,} more" if len(words) > most else ""
    return f"{joint.join(words[:most])}{rest}"


def named(key: str) -> str:
    """A key as a reader sees it; a name such as V-measure keeps its hyphen.

    >>> named("words-left-alone"), named("V-measure")
    ('words left alone', 'V-measure')
    """
    return re.sub(r"(?<![A-Z])-", " ", key)


def capital(text: str) -> str:
    """A text with a capital first letter, as a title begins."""
    return text[:1].upper() + text[1:]


def called(measure: str) -> str:
    """The readable name of a measure, not its expression.

    >>> called("sc-weat"), called("single-attribute-weat"), called("direct-bias")
    ('SC-WEAT', 'single-attribute WEAT', 'direct bias')
    """
    parts = [part.upper() if part in _ABBREVIATIONS else part for part in measure.split("-")]
    if all(part.isupper() for part in parts):
        return "-".join(parts)
    *qualifiers, last = parts
    name = "-".join(qualifiers)
    return f"{name} {last}" if name else last


def words_used(uses: "Sequence[WordUse]") -> str:
    """How many of the requested words a number used, such as ``30/32``."""
    used = sum(len(use.used) for use in uses)
    missing = sum(len(use.missing) + len(use.set_aside) for use in uses)
    return f"{used}/{used + missing}" if uses else ""


def counted(count: int, thing: str, things: str | None = None) -> str:
    """A number of things, such as ``1 word`` or ``1,200 words``; its plural may be given."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def scale(meaning: "Meaning | None") -> str:
    """The range of a measure, such as ``±2``; nothing if it is not known."""
    text = meaning.range if meaning else ""
    found = _SYMMETRIC.fullmatch(text)
    return f"±{found[1]}" if found else text


def fact(value: "Fact") -> str:
    """A fact of any type as text."""
    if isinstance(value, tuple):
        return "; ".join(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value, 4) if isinstance(value, float) else str(value)


def movement(moved: "MovementFacts") -> list[str]:
    """How many vectors debiasing changed and how far it turned them."""
    sentences = [
        f"{moved.share_changed:.1%} of {moved.words:,} vectors changed and "
        f"{moved.share_turned:.1%} turned by more than a tenth of a degree: "
        f"{moved.mean_degrees:.1f}° on average and {moved.most_degrees:.1f}° at most."
    ]
    if moved.moved_most:
        sentences.append(f"Moved furthest: {', '.join(item.word for item in moved.moved_most)}.")
    return sentences


def lacking(stage: "StageFacts", most: int) -> str:
    """The words a method needs that are missing from the vectors, the first ``most`` by name."""
    return some(sorted({word for use in stage.words for word in use.missing}), most)


def sentence(parts: Sequence[str]) -> str:
    """Clauses as one sentence, with a large first letter and a full stop."""
    return f"{capital('; '.join(parts))}."
