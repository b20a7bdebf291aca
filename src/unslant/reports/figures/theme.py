"""The colours and the type of every figure, on paper and on a dark screen.

The first three colours are vermilion, green and blue as Okabe and Ito chose them for every kind of
sight, the blue a little lighter, so that each has a contrast of at least 3 on white and on the dark
ground: a figure keeps its colours when the theme changes; only ink, lines and ground differ. No
figure conveys anything by colour alone.
"""

from collections.abc import Mapping
from typing import Any

FIRST = "#1482c8"
SECOND = "#d55e00"
THIRD = "#009e73"
QUIET = "#8a8f9c"
"""Colours of the two sides, a third category, and references."""

CATEGORIES = (FIRST, SECOND, THIRD, "#a6629a", "#8c7a00", "#5b7fa6", "#b5562f", "#4b8f8c")

TWO_ENDED = ("#b35806", "#e08214", "#fdb863", "#f7f7f7", "#92c5de", "#4393c3", "#2166ac")
"""From one side through nothing to the other; its ends stay apart for every kind of sight."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

_INKS: Mapping[str, Mapping[str, str]] = {
    "light": {"ink": "#1a1a1a", "faint": "#5b6070", "line": "#d8dae0", "ground": "#ffffff"},
    "dark": {"ink": "#e8e8ea", "faint": "#a3a8b5", "line": "#343a46", "ground": "#16181d"},
}

THEMES = tuple(_INKS)


def config(theme: str) -> dict[str, Any]:
    """The Vega-Lite configuration of a theme."""
    inks = _INKS[theme]
    ink, faint, line = inks["ink"], inks["faint"], inks["line"]
    words = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": inks["ground"],
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**words, "domainColor": faint, "tickColor": faint, "gridColor": line}
        | {"titleFontWeight": "normal", "labelLimit": 420, "titlePadding": 8},
        "legend": {**words, "titleFontWeight": "normal", "labelLimit": 320},
        "header": words,
        "title": {"color": ink, "subtitleColor": faint, "anchor": "start", "fontSize": 15},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": faint},
        "range": {"category": list(CATEGORIES), "diverging": list(TWO_ENDED)},
    }
