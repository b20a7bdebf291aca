"""Tables and figures for the scores: by task and domain, and the items with most weight."""

from collections.abc import Sequence

import numpy as np

from unslant.core.exhibits import Case, Column, Examples, Point, Points, Table, Value
from unslant.core.measurement import Measurement
from unslant.core.types import Array
from unslant.datasets.stereoset import TASKS
from unslant.probes.stereoset.questions import Pair
from unslant.probes.stereoset.target_scores import KINDS, Cell


def table(cells: Sequence[Cell], found: Sequence[Measurement]) -> Table:
    """The three scores of each task and domain, with how many comparisons were ties."""
    by_name = {item.metric: item for item in found}
    rows: list[tuple[Value, ...]] = []
    for cell in cells:
        mine = [by_name[f"stereoset-{kind}{cell.name}"] for kind in KINDS]
        counts = mine[0].details or mine[1].details
        ties = [item.details.get("ties") for item in mine[:2]]
        rows.append(
            (
                cell.title,
                counts.get("items"),
                counts.get("terms"),
                *(item.value for item in mine),
                *ties,
            )
        )
    return Table(
        id="by-domain",
        title="Scores by task and domain",
        columns=(
            Column(label="items of"),
            Column(label="items", digits=0),
            Column(label="terms", digits=0),
            *(Column(label=kind.upper(), digits=2) for kind in KINDS),
            Column(label="ties, SS", digits=0),
            Column(label="ties, LMS", digits=0),
        ),
        rows=tuple(rows),
        caption="SS: how often the stereotype scores higher than the anti-stereotype (50 is "
        "ideal). LMS: how often either scores higher than the unrelated sentence (100 is ideal).",
    )


def preference(cells: Sequence[Cell], found: Sequence[Measurement]) -> list[Points]:
    """How far SS is from 50 in each domain, a panel for each task."""
    by_name = {item.metric: item for item in found}
    panels = []
    for task in TASKS:
        points = []
        for cell in cells:
            item = by_name[f"stereoset-ss{cell.name}"]
            if cell.name.startswith(f"-{task}-") and item.value is not None:
                points.append(
                    Point(
                        label=cell.name.removeprefix(f"-{task}-"),
                        x=item.value - 50,
                        low=item.interval.low - 50 if item.interval else None,
                        high=item.interval.high - 50 if item.interval else None,
                    )
                )
        if points:
            panels.append(
                Points(
                    id="preference",
                    title="Preference for stereotypes by domain",
                    part=f"{task}-sentence items",
                    x="stereotype score − 50",
                    ends=("prefers stereotypes", "prefers anti-stereotypes"),
                    points=tuple(points),
                    caption="0 is no preference.",
                )
            )
    return panels


def strongest(
    pairs: Sequence[Pair], values: Array, given: Array, swapped: Array, count: int
) -> Examples:
    """The items with the largest s."""
    order = np.argsort(-values, kind="stable")[:count].tolist()
    return Examples(
        id="strongest",
        title="Items with the strongest stereotype",
        texts=("context", "stereotype", "anti-stereotype", "context, swapped"),
        numbers=("stereotype", "anti", "stereotype, swapped", "anti, swapped", "s"),
        cases=tuple(
            Case(
                texts=(
                    pairs[n].item.context,
                    pairs[n].item.stereotype.text,
                    pairs[n].item.anti.text,
                    pairs[n].twin.context,
                ),
                numbers=(*map(float, given[n, :2]), *map(float, swapped[n, :2]), float(values[n])),
            )
            for n in order
        ),
        caption="Probabilities that the sentence comes next. In the swapped item the labels change "
        "places: its stereotype is the swapped anti-stereotype.",
    )


def furthest(
    pairs: Sequence[Pair], values: Array, given: Array, swapped: Array, count: int
) -> Examples:
    """The items with the largest d."""
    order = np.argsort(-values, kind="stable")[:count].tolist()
    return Examples(
        id="furthest",
        title="Unrelated sentences that the gender of the context changes most",
        texts=("context", "context, swapped", "unrelated sentence"),
        numbers=("p", "p, swapped", "d"),
        cases=tuple(
            Case(
                texts=(
                    pairs[n].item.context,
                    pairs[n].twin.context,
                    pairs[n].item.unrelated.text,
                ),
                numbers=(float(given[n, 2]), float(swapped[n, 2]), float(values[n])),
            )
            for n in order
        ),
        caption="Probabilities that the unrelated sentence comes next; they should be small.",
    )
