"""Exhibits: points along an axis or in a plane, the spectrum, associations, and shares."""

from dataclasses import replace

import pytest

from tests.reports.figures.made_records import audit_of, keeps_the_rules, rows_of, texts_of
from unslant.core.exhibits import Exhibit, Point, Points, Share, Shares, Spectrum, Table, spectrum
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import exhibit_figures


def figures(*exhibits: Exhibit) -> list[Figure]:
    found = list(exhibit_figures(audit_of([], exhibits=exhibits)))
    for figure in found:
        keeps_the_rules(figure)
    return found


def association(part: str = "", *, value: float = 0.3) -> Points:
    return Points(
        id="association",
        title="Which group each word is closer to",
        part=part,
        x="association",
        ends=("closer to female", "closer to male"),
        points=(
            Point(label="nurse", x=value, low=0.1, high=0.5, group="words"),
            Point(label="boss", x=-0.2, low=-0.4, high=0.1, group="words"),
            Point(label="mean of the list", x=0.05, low=-0.1, high=0.2, group="mean"),
        ),
    )


def test_words_have_bars_to_their_side_with_intervals_and_the_mean_has_a_mark() -> None:
    [figure] = figures(association())
    rows = {row["word"]: row for row in rows_of(figure) if "word" in row}
    assert (rows["nurse"]["now"], rows["nurse"]["low"], rows["nurse"]["high"]) == (0.3, 0.1, 0.5)
    assert rows["nurse"]["side"] == "closer to female"
    assert rows["mean of the list"]["mark"] == 0.05
    assert {"closer to female", "closer to male", "mean of the list"} <= set(texts_of(figure))
    assert "Closer to male: boss (−0.20). 1 of 2 intervals exclude 0." in figure.description
    assert "mean of the list: 0.050." in figure.description


def test_parts_of_one_id_are_panels_on_one_scale() -> None:
    [figure] = figures(association("female, male"), association("other", value=0.9))
    panels = figure.spec()["vconcat"]
    assert [panel["title"] for panel in panels] == ["female, male", "other"]
    domains = {str(p["layer"][0]["encoding"]["x"]["scale"]["domain"]) for p in panels}
    assert len(domains) == 1
    assert figure.name == "association"


def test_before_and_now_of_one_id_are_compared() -> None:
    [figure] = figures(association(value=0.1), replace(association(value=0.8), when="before"))
    [row] = {(r["before"], r["now"]) for r in rows_of(figure) if r.get("word") == "nurse"}
    assert row == (0.8, 0.1)


def test_points_with_a_y_are_a_plane_and_a_table_is_no_figure() -> None:
    points = (Point(label="a", x=1, y=5, group="k"), Point(label="b", x=2, y=6, group="l"))
    cloud = Points(id="My cloud", title="Cloud", x="size", y="age", points=points)
    table = Table(id="t", title="T", columns=(), rows=())
    [figure] = figures(table, cloud, replace(cloud, id="none", points=()))
    assert figure.name == "my-cloud"
    assert {(row["x"], row["y"]) for row in rows_of(figure) if row.get("side")} == {(1, 5), (2, 6)}


def test_bars_without_ends_keep_their_order_and_explain_their_marks() -> None:
    points = [Point(label=f"word {n}", x=n % 7 - 3, group="found") for n in range(40)]
    points += [Point(label="word 2", x=0.5, group="expected")]
    [figure] = figures(Points(id="rows", title="Rows", x="gain", points=tuple(points)))
    words = [row["word"] for row in rows_of(figure) if "now" in row and "mark" not in row]
    assert words[:3] == ["word 0", "word 1", "word 3"]
    assert {"found", "expected"} <= set(texts_of(figure))
    assert len(set(words)) < 40  # a page has room for the first ones


def test_shares_of_the_concept_and_of_random_words_are_drawn_by_axis() -> None:
    one = Spectrum("pair-pca(x)", (0.8, 0.2, 1e-30), (0.6, 0.4))
    [figure] = figures(*spectrum([one, Spectrum("one", (1.0,))], "gender", "glove"))
    assert [part["title"]["text"] for part in figure.spec()["concat"]] == ["pair-pca(x)"]
    assert [(row["of"], row["label"], row["value"]) for row in rows_of(figure)] == [
        ("words of the concept", "1", 0.8), ("words of the concept", "2", 0.2),
        ("random words", "1", 0.6), ("random words", "2", 0.4),
    ]  # fmt: skip
    assert "words of the concept 1: 0.80, 2: 0.20; random words 1: 0.60" in figure.description


LABELS = ("entailment", "neutral", "contradiction")


def answers(**given: tuple[float, ...]) -> Shares:
    rows = tuple(Share(label=label, shares=shares) for label, shares in given.items())
    return Shares(id="answers", title="Mean answers", labels=LABELS, rows=rows)


def test_the_parts_of_a_bar_are_the_shares_and_fill_it() -> None:
    before = replace(answers(female=(0.2, 0.5, 0.3), male=(0.7, 0.2, 0.1)), when="before")
    [figure] = figures(answers(female=(0.1, 0.8, 0.1), male=(0.1, 0.9, 0.0)), before)
    assert len(rows_of(figure)) == 12  # 2 panels × 2 bars × 3 parts
    rows = [row for row in rows_of(figure) if row["name"] == "female"][:3]
    assert [row["answer"] for row in rows] == list(LABELS)
    assert [row["end"] - row["begin"] for row in rows] == pytest.approx([0.2, 0.5, 0.3])
    assert (rows[0]["begin"], rows[2]["end"]) == (0, 1)
    assert "female: 10 % entailment, 80 % neutral, 10 % contradiction; before 20 %" in (
        figure.description
    )


def test_the_middle_of_three_labels_is_neutral_and_many_labels_have_colours() -> None:
    [figure] = figures(answers(all=(0.2, 0.5, 0.3)))
    assert [row["opacity"] for row in rows_of(figure)][:3] == [0.65, 0.3, 0.65]
    two = Shares(id="x", title="T", labels=("a", "b"), rows=(Share(label="r", shares=(0.4, 0.6)),))
    [figure] = figures(two)
    assert [row["opacity"] for row in rows_of(figure)][:2] == [0.65, 0.65]


def test_rows_named_alike_are_told_apart_and_only_the_first_are_shown() -> None:
    rows = tuple(Share(label="nurse", group=f"g{n}", shares=(1.0,)) for n in range(30))
    [figure] = figures(Shares(id="x", title="T", labels=("a",), rows=rows, caption="Read."))
    assert {row["name"] for row in rows_of(figure)} == {f"nurse (g{n})" for n in range(16)}
    assert "The first 16 of 30 rows are shown." in figure.caption
    assert "And 22 more rows." in figure.description


def test_what_leans_to_neither_side_is_said_to() -> None:
    points = (Point(label="joy", x=0.2), Point(label="anger", x=0.0))
    given = Points(id="x", title="T", x="difference", ends=("women", "men"), points=points)
    [figure] = figures(given)
    assert "neither side" in texts_of(figure)
    assert "Women: joy (0.20). Neither side: anger (0.00)." in figure.description
    [figure] = figures(replace(given, points=points[1:]))
    assert "women" not in texts_of(figure)
