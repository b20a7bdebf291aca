"""Curves along an order and grids of values, drawn from a record alone."""

import json

from unslant.core.exhibits import Curves, Grid, Point
from unslant.core.read_record import record_from
from unslant.core.record import Record, Subject
from unslant.reports.figures.of_record import figures_of
from unslant.reports.page import page

CURVES = Curves(
    id="layers",
    title="By layer",
    x="layer",
    y="accuracy",
    points=(
        Point(label="embeddings", x=0.9, group="linear", low=0.8, high=0.95),
        Point(label="1", x=0.5, group="linear", low=0.4, high=0.6),
        Point(label="1", x=0.7, group="<b>curved\u202e"),
    ),
    level=0.5,
    level_says="chance",
    marked=("embeddings",),
)
GRID = Grid(
    id="heads",
    title="By head",
    rows=("layer 1", "layer 2"),
    columns=("0", "1", "2"),
    values=((0.5, -1.0, None), (0.0, 0.25, 0.1)),
    x="head",
)


def test_they_are_read_again_as_they_were_and_drawn_as_a_figure_each() -> None:
    record = Record(
        about="probe",
        subject=Subject(kind="concept", name="toy", title="Toy"),
        exhibits=(CURVES, GRID),
    )
    again = record_from(json.loads(json.dumps(record.to_dict())))
    assert again.exhibits == record.exhibits
    curves, grid = figures_of(again)
    for figure in (curves, grid):
        figure.chart.to_dict()  # held against the schema of Vega-Lite
    assert "chance" in curves.caption
    assert "linear: 0.90 at embeddings, 0.50 at 1" in curves.description
    assert "layer 1, 1: −1.00" in grid.description
    [cells] = grid.spec()["datasets"].values()
    assert len(cells) == 5  # a missing value has no cell
    strengths = {cell["text"]: cell["strength"] for cell in cells}
    assert strengths["−1.00"] == max(strengths.values())
    assert strengths["0.00"] == 0
    assert "<b>curved" not in page(again)
