"""What leads a report: the bias that is surely strongest, before quality, on one scale."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.reports.figures.made_records import rows_of
from unslant.core.finding import Finding
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Meaning, Record, Result, Subject
from unslant.core.score import EFFECT_SIZE
from unslant.reports.figures.findings import MOST, findings
from unslant.reports.leading import leading, position
from unslant.reports.tables import main_table

STEPS = (0.2, 0.5, 0.8)


def result(title: str, value: float, low: float, high: float, **more: object) -> Result:
    now = Measurement(
        value=value,
        metric="weat",
        title=title,
        better="closer to 0",
        interval=Interval(low=low, high=high, level=0.95, how="made"),
    )
    made = Result(now=now, finding=Finding(level="weak", sentence=f"{title} is made."))
    return replace(made, **more)  # type: ignore[arg-type]


def record_of(*results: Result) -> Record:
    meaning = Meaning(
        summary="Made.", range="0 to 2", better="closer to 0", misleads="", reference="",
        role="test", scale=EFFECT_SIZE,
    )  # fmt: skip
    quality = replace(meaning, role="quality", scale=None)
    return Record(
        about="audit",
        subject=Subject(kind="concept", name="made", title="Made"),
        results=results,
        glossary={"weat": meaning, "similarity": quality},
    )


@pytest.mark.parametrize(
    ("distance", "place"),
    [
        (0, 0),
        (0.05, 0.25),
        (0.2, 1),
        (0.35, 1.5),
        (0.5, 2),
        (0.8, 3),
        (1.6, 3.5),
        (3.2, 3.75),
    ],
)
def test_each_level_is_as_wide_as_every_other_and_strong_has_no_end(
    distance: float, place: float
) -> None:
    assert position(STEPS, distance) == pytest.approx(place)


def test_what_is_sure_leads_and_not_what_is_large() -> None:
    unsure = result("unsure", 1.5, 0.0, 1.9)
    sure = result("sure", 0.9, 0.6, 1.2)
    assert leading(record_of(unsure, sure), 2) == [sure, unsure]


def test_a_bias_that_was_removed_still_leads_by_what_it_was() -> None:
    before = result("", 1.6, 1.2, 1.9).now
    removed = result("removed", 0.01, -0.1, 0.1, before=before)
    left = result("left", 0.9, 0.6, 1.2, before=result("", 0.9, 0.6, 1.2).now)
    assert leading(record_of(left, removed), 2) == [removed, left]


def test_what_was_not_judged_does_not_lead_and_quality_comes_last() -> None:
    plain = result("plain", 1.0, 0.9, 1.1, finding=Finding(level="not judged", sentence="No."))
    kept = result("kept", 0.7, 0.6, 0.8)
    kept = replace(
        kept,
        now=replace(kept.now, metric="similarity"),
        finding=Finding(level="not judged", sentence="Kept.", outcome="kept"),
    )
    bias = result("bias", 0.3, 0.25, 0.4)
    record = record_of(plain, kept, bias)
    assert leading(record, 5) == [bias]
    assert leading(record, 5, 1) == [bias, kept]
    table = main_table(record)
    assert table is not None
    assert [row[0] for row in table.rows] == ["bias", "kept"]
    assert table.rows[1][-1] == "kept"


def test_the_figure_has_the_first_few_with_their_intervals_on_the_scale() -> None:
    before = result("", 1.0, 0.9, 1.05).now
    results = [result(f"test {n}", 0.35, 0.2, 0.5, before=before) for n in range(MOST + 2)]
    [figure] = findings(record_of(*results))
    rows = [row for row in rows_of(figure) if "title" in row]
    assert {row["title"] for row in rows} == {f"test {n}" for n in range(MOST)}
    assert {row["low"] for row in rows} == {1.0}
    assert {row["high"] for row in rows} == {2.0}
    assert f"The first {MOST} of {MOST + 2}." in figure.caption
    assert "before 1.000" in figure.description


def test_values_that_differ_are_drawn_apart_with_their_numbers() -> None:
    values = (1.12, 1.28, 1.52, 1.72, 1.9)
    results = [result(f"test {value}", value, 1.0, 1.95) for value in values]
    [figure] = findings(record_of(*results))
    rows = [row for row in rows_of(figure) if row.get("short")]
    marks = {row["title"]: row for row in rows if row["x"] == row["number_at"]}
    places = [marks[f"test {value}"]["x"] for value in values]
    assert all(after - before > 0.01 for before, after in pairwise(places))
    assert places[-1] < 4
    assert [marks[f"test {value}"]["short"] for value in values] == [f"{v:.2f}" for v in values]
    assert '"text": {"field": "short"' in json.dumps(figure.spec())


@pytest.mark.parametrize("value", [0.0, 0.02, 0.5, 0.78, 1.4, 60.0])
@pytest.mark.parametrize("earlier", [0.0, 0.5, 0.51, 1.5, 60.0])
def test_numbers_before_and_now_stand_apart_and_within_the_figure(
    value: float, earlier: float
) -> None:
    both = result("t", value, 0.0, 2.0, before=result("", earlier, 0.0, 2.0).now)
    [figure] = findings(record_of(both))
    row = next(row for row in rows_of(figure) if "number_at" in row)
    pixels = [row[key] * 344 / 4 for key in ("number_at", "was_at")]
    assert abs(pixels[0] - pixels[1]) > 33
    assert all(15 < pixel < 344 - 15 for pixel in pixels)
    assert (row["short"], row["was"]) == (f"{value:.2f}", f"{earlier:.2f}")


def test_a_record_without_a_scale_has_no_such_figure_and_no_table() -> None:
    record = replace(record_of(result("a", 1.0, 0.9, 1.1)), glossary={})
    assert list(findings(record)) == []
    assert main_table(replace(record, results=())) is None
