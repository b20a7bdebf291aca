"""What is said of a scatter of words between two sides: how to read it, and what it shows."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.panels import Panel, Record, warning
from unslant.reports.figures.values import shortened
from unslant.reports.words import baseline_of

NEITHER = "neither"
SMALLEST = 5e-5
"""Differences below this are rounding, as after both sides were made equal."""

Row = dict[str, Any]
Sides = tuple[str, str]


def caption(record: Record, both: Sequence[Panel], sides: Sides) -> str:
    """How to read the figure, and when it misleads."""
    details, groups = both[0].measurement["details"], len(record["concept"]["groups"])
    is_pair, last = len(both) > 1, both[-1].measurement
    used = [shortened(details[f"words of the {which} side"], 90) for which in ("first", "second")]
    own = [
        side if side == words else f"{side} ({words})"
        for side, words in zip(sides, used, strict=True)
    ]
    few = f" They are the first two of {groups} groups." if groups > 2 else ""
    kept = (
        " Both plots have the same scales, and colour and shape stay those of the side that a word "
        "was on before. Both use the two sides as they were before debiasing, as the measure does."
        if is_pair
        else ""
    )  # fmt: skip
    return (
        f"Each point is a word, at its mean cosine with {own[1]} (across) and with {own[0]} "
        f"(upwards). On the dashed line it is equally close to both; the further from it, the more "
        f"it leans.{few} The words furthest from the line are named, the others appear when "
        f"pointed at.{kept} Points on the line do not prove that no bias is left: other words for "
        f"the same groups may tell another story.{warning(last, baseline_of(record, last))}"
    )


def told(panel: Panel, rows: Sequence[Row], sides: Sides) -> str:
    """What a panel shows, for those who cannot see it."""
    count = Counter(
        sides[0] if row["gap"] >= SMALLEST else sides[1] if row["gap"] <= -SMALLEST else NEITHER
        for row in rows
    )
    order = sorted(rows, key=lambda row: row["gap"])
    most = [
        (side, [row["word"] for row in part if sign * row["gap"] >= SMALLEST])
        for side, part, sign in ((sides[0], order[:-4:-1], 1), (sides[1], order[:3], -1))
    ]
    furthest = "; ".join(f"furthest to {side}: {', '.join(words)}" for side, words in most if words)
    lead = f"{panel.heading}: " if panel.heading else ""
    counted = ", ".join(f"{count[side]} closer to {side}" for side in sides) + (
        f", {count[NEITHER]} to neither" if count[NEITHER] else ""
    )
    return f"{lead}{len(rows)} words, {counted}{'; ' + furthest if furthest else ''}."
