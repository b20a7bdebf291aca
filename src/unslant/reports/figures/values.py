"""What every figure does to the values it shows: fewer digits, shorter texts, names of files."""

import re

from unslant.reports.words import visible

_LONGEST = 26


def rounded(value: float) -> float:
    """A number with the five digits that a picture can show, so that pages stay small."""
    return float(f"{value:.5g}")


def shown(text: str) -> str:
    """A text of the user as a figure holds it, with nothing invisible in it."""
    return visible(str(text))


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text of the user cut to what a label has room for; hovering shows all of it."""
    whole = shown(text)
    return whole if len(whole) <= longest else f"{whole[: longest - 1]}…"


def capital(text: str) -> str:
    """A text with a large first letter, as a title begins."""
    return text[:1].upper() + text[1:]


def slug(text: str) -> str:
    """A text as a part of a figure's name: small letters, digits and hyphens.

    >>> slug("Neutral words/2")
    'neutral-words-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "list"
