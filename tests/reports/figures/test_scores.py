"""The scores of a probe: bars before and after, intervals, controls, and their colours."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from tests.reports.figures.made_records import keeps_the_rules, rows_of
from unslant.core.exhibits import Share, Shares
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Control, Meaning, Record, Resource, Result, Subject, Treatment
from unslant.reports.figures.export import drawn
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of
from unslant.reports.figures.scores import scores
from unslant.reports.figures.theme import THEMES, config

SHARES = Shares(
    id="answers",
    title="Mean answers",
    labels=("yes", "perhaps", "no"),
    rows=(Share(label="women", shares=(0.5, 0.3, 0.2)),),
)


def score(name: str, value: float | None, better: str = "smaller") -> Measurement:
    span = (
        None if value is None else Interval(low=value - 0.1, high=value + 0.1, level=0.95, how="")
    )
    why = "no words left" if value is None else ""
    title = name.capitalize()
    return Measurement(
        metric=name, title=title, value=value, better=better, interval=span, why_undefined=why
    )


def probed(*results: Result) -> Record:
    return Record(
        about="probe",
        subject=Subject(kind="set", name="toy", title="A toy set"),
        predictor=Resource(name="a model", kind="model"),
        treatment=Treatment(expression="hard"),
        results=results,
        exhibits=(SHARES,),
        glossary={
            result.now.metric: Meaning(
                summary="What?",
                role="probe",
                better=result.now.better,
                short="s",
                misleads="Often.",
            )
            for result in results
        },
    )


COMPARED = probed(
    Result(
        now=score("error", 0.4),
        before=score("error", 0.6),
        control=Control(values=(0.55, 0.62), directions=1, mean=0.58),
    ),
    Result(now=score("distance", 0.3), before=score("distance", 0.2)),
)
ALONE = probed(Result(now=score("error", 0.4)), Result(now=score("distance", 0.3)))


def bars_figure(record: Record) -> Figure:
    [figure] = scores(record)
    keeps_the_rules(figure)
    return figure


def test_bars_intervals_and_controls_are_the_numbers_of_the_record() -> None:
    figure = bars_figure(COMPARED)
    rows = {(row["title"], row["when"]): row for row in rows_of(figure) if "title" in row}
    assert len(rows) == 4
    after = rows["Error", "after"]
    assert (after["x"], after["low"], after["high"]) == pytest.approx((0.4, 0.3, 0.5))
    assert rows["Distance", "before"]["x"] == 0.2
    [band] = [row for row in rows_of(figure) if "draws" in row and "x" not in row]
    assert (band["low"], band["high"]) == (0.55, 0.62)
    assert "2 controls that remove one random direction" in figure.caption
    assert "Often." in figure.caption
    assert "Error (s): 0.400, before 0.600, random 0.550 to 0.620" in figure.description
    assert "smaller is better" in figure.description


def test_without_a_comparison_there_is_one_bar_for_each_score() -> None:
    figure = bars_figure(ALONE)
    assert {row["when"] for row in rows_of(figure)} == {"now"}
    assert "before" not in figure.description


def test_a_score_without_a_value_is_there_as_such() -> None:
    figure = bars_figure(probed(Result(now=score("error", None)), Result(now=score("other", 0.3))))
    [row] = [row for row in rows_of(figure) if row["title"] == "Error"]
    assert (row["text"], row["note"]) == ("NA", "no words left")
    assert len(bars_of(drawn(figure, "svg").decode())) == 1


def test_negative_scores_have_bars_to_the_left_and_other_better_sides_other_figures() -> None:
    record = probed(
        Result(now=score("difference", -0.5, "closer to 0")),
        Result(now=score("share", 0.9, "larger")),
    )
    first, second = (figure for figure in figures_of(record) if figure.name.startswith("measures"))
    assert (first.name, second.name) == ("measures", "measures-2")
    low, high = first.spec()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < -0.6 < 0 <= high
    assert "larger is better" in second.description


def test_a_model_that_was_trained_for_each_space_is_not_said_to_be_one() -> None:
    said = "One model read all of these vectors"
    assert said in bars_figure(COMPARED).caption
    treatment = Treatment(expression="hard", is_retrained=True)
    assert said not in bars_figure(replace(COMPARED, treatment=treatment)).caption
    # A language model reads no vectors.
    assert said not in bars_figure(replace(COMPARED, predictor=None)).caption


def bars_of(svg: str) -> list[dict[str, str]]:
    """The attributes of every bar in a drawing."""
    return [
        element.attrib
        for element in ET.fromstring(svg).iter()
        if element.get("aria-roledescription") == "bar"
    ]


def contrast(one: str, other: str) -> float:
    """How far two colours are apart in lightness, from 1 to 21, as WCAG counts it."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, bright = sorted(light(colour) + 0.05 for colour in (one, other))
    return bright / dark


@pytest.mark.parametrize("theme", THEMES)
def test_the_edge_of_every_bar_stands_out_from_the_ground(theme: str) -> None:
    ground = config(theme)["background"]
    figures = figures_of(ALONE)
    assert [figure.name for figure in figures] == ["measures", "answers"]
    for figure in figures:
        bars = bars_of(drawn(figure, "svg", theme).decode())
        assert bars
        assert all(contrast(bar["stroke"], ground) >= 3 for bar in bars)
        assert all(float(bar.get("opacity", 1)) == 1 for bar in bars)
