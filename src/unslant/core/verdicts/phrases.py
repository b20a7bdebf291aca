"""The small texts of verdicts: numbers, intervals, p-values, levels."""

from unslant.core.finding import Finding
from unslant.core.measurement import Interval

UNDECIDED = "Undecided"
"""How a sentence begins that claims neither a bias nor its absence, neither a change nor none."""

_SMALL = 0.1
"""Smaller shares have a digit more, so that those which differ do not look alike."""


def number(value: float) -> str:
    """A number with as many digits as a verdict needs.

    >>> number(1.7181), number(-0.1), number(-0.0001), number(54.31), number(12345.6)
    ('1.72', '−0.100', '0', '54.3', '12,346')
    """
    if abs(value) < 0.0005:
        return "0"
    digits = next(n for least, n in ((1000, 0), (10, 1), (1, 2), (0, 3)) if abs(value) >= least)
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.281), percent(0.0281), percent(0.95)
    ('28 %', '2.8 %', '95 %')
    """
    return f"{100 * share:.{1 if 0 < share < _SMALL else 0}f} %"


def p_text(p: float) -> str:
    """A p-value.

    >>> p_text(0.0618), p_text(0.6)
    ('.062', '.60')
    """
    if p >= 1:
        return "1"
    return f"{p:.2f}".lstrip("0") if p >= 0.1 else f"{max(p, 0.001):.3f}".lstrip("0")


def interval_text(found: Interval) -> str:
    """An interval with its level, such as ``95 % interval 1.40 to 1.85``."""
    return f"{percent(found.level)} interval {number(found.low)} to {number(found.high)}"


def level_text(finding: Finding) -> str:
    """A level in a few words: ``strong``, ``at least weak, probably moderate``."""
    if finding.probable:
        return f"at least {finding.level}, probably {finding.probable}"
    return "size not judged" if finding.level == "shown" else finding.level
