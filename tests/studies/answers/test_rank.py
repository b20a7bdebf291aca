"""Pareto fronts: against the definition in plain loops, with ties and gaps said."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnslantError
from unslant.core.study_record import RankedRow, Ranking, UnrankedRow
from unslant.studies.answers import Row, rank
from unslant.studies.answers.rank import MOST_ROWS


def rows_from(
    lines: Mapping[str, tuple[float | None, ...]], better: tuple[str, ...] = ("smaller", "larger")
) -> list[Row]:
    return [
        Row(
            resource=name,
            method="x",
            measure=f"M{place}",
            concept="gender",
            seed=0,
            value=value,
            state="done" if value is not None else "failed",
            better=better[place],
        )
        for name, line in lines.items()
        for place, value in enumerate(line)
    ]


def by_name(record: Ranking) -> dict[str, RankedRow]:
    return {item.name: item for item in record.order}


def test_a_case_worked_by_hand() -> None:
    lines = {"a": (0.1, 60.0), "b": (0.2, 70.0), "c": (0.2, 60.0), "d": (0.3, 65.0)}
    record = rank(rows_from(lines))
    found = by_name(record)
    assert {name: item.front for name, item in found.items()} == {
        "a.x": 1,
        "b.x": 1,
        "c.x": 2,
        "d.x": 2,
    }
    assert found["c.x"].dominated_by == ("a.x", "b.x")
    assert found["b.x"].dominates == ("c.x", "d.x")
    assert found["a.x"].mean_rank == (1 + 3.5) / 2
    assert [item.name for item in record.order] == ["b.x", "a.x", "c.x", "d.x"]


@given(
    st.lists(st.tuples(*[st.integers(-3, 3).map(float)] * 3), min_size=1, max_size=9),
)
@settings(max_examples=60, deadline=None)
def test_dominance_is_nowhere_worse_and_somewhere_better(points: list[tuple[float, ...]]) -> None:
    lines = {str(n): point for n, point in enumerate(points)}
    record = rank(rows_from(lines, ("smaller", "larger", "closer to 1")))
    found = by_name(record)
    assert len(found) == len(points)
    losses = {f"{n}.x": (a, -b, abs(c - 1)) for n, (a, b, c) in lines.items()}
    for name, item in found.items():
        beaten = [
            other
            for other in losses
            if all(x <= y for x, y in zip(losses[name], losses[other], strict=True))
            and losses[name] != losses[other]
        ]
        assert list(item.dominates) == beaten
        same = [o for o in losses if o != name and losses[o] == losses[name]]
        assert list(item.ties) == same
        above = [found[other].front for other in item.dominated_by]
        assert item.front == 1 + max(above, default=0)
    order = [(item.front, item.mean_rank) for item in record.order]
    assert order == sorted(order)


def test_rows_that_lack_a_number_are_left_out_and_named() -> None:
    record = rank(rows_from({"a": (0.1, 1.0), "b": (None, 2.0), "c": (0.2, None)}))
    assert [item.name for item in record.order] == ["a.x"]
    assert record.left_out == (
        UnrankedRow(name="b.x", lacks=("M0 (failed)",)),
        UnrankedRow(name="c.x", lacks=("M1 (failed)",)),
    )
    assert "2 of 3 rows are left out because a value is missing, such as b.x" in record.notes[0]
    nothing = rank(rows_from({"a": (None, 1.0)}))
    assert nothing.order == ()


def test_ties_are_said() -> None:
    record = rank(rows_from({"a": (0.1, 1.0), "b": (0.1, 1.0), "c": (0.0, 0.0)}))
    assert by_name(record)["a.x"].ties == ("b.x",)
    assert by_name(record)["a.x"].front == by_name(record)["b.x"].front == 1
    assert any("2 rows have exactly the numbers of another" in note for note in record.notes)


def test_a_direction_can_be_replaced_and_must_be_known() -> None:
    lines = {"a": (0.1, 1.0), "b": (0.2, 2.0)}
    record = rank(rows_from(lines), better={"M0": "larger"})
    assert by_name(record)["b.x"].dominates == ("a.x",)
    with pytest.raises(UnslantError, match='better for "M1" is not known'):
        rank(rows_from(lines, ("smaller", "")))


def test_measures_can_be_chosen_and_one_is_too_few() -> None:
    rows = rows_from({"a": (1.0, 1.0, 9.0), "b": (0.0, 2.0, 0.0)}, ("smaller", "larger", "larger"))
    assert len(rank(rows, ["M1", "M0"]).measures) == 2
    assert by_name(rank(rows, ["M1", "M0"]))["b.x"].dominates == ("a.x",)
    assert by_name(rank(rows))["b.x"].dominates == ()
    with pytest.raises(UnslantError, match="two measures or more"):
        rank(rows, ["M0", "M0"])


def test_a_direction_may_be_the_number_to_be_close_to() -> None:
    record = rank(rows_from({"a": (0.4, 1.0), "b": (-0.1, 1.0)}), better={"M0": "0", "M1": "1.0"})
    assert [item.better for item in record.measures] == ["closer to 0", "closer to 1.0"]
    assert by_name(record)["b.x"].dominates == ("a.x",)
    for way in ("nan", "inf", "", "lower"):
        with pytest.raises(UnslantError, match="The better direction of a measure is"):
            rank(rows_from({"a": (0.4, 1.0)}), better={"M0": way})


def test_no_two_rows_have_the_same_name() -> None:
    def row(resource: str, method: str, measure: str) -> Row:
        facts = {"concept": "gender", "seed": 0, "value": 1.0, "better": "smaller"}
        return Row(resource=resource, method=method, measure=measure, **facts)  # type: ignore[arg-type]

    def names(*keys: tuple[str, str]) -> list[str]:
        rows = [row(*key, measure) for key in keys for measure in ("A", "B")]
        return [item.name for item in rank(rows).order]

    assert names(("a", "b"), ("c", "")) == ["a.b", "c"]
    assert names(("a.b", "c"), ("a", "b.c")) == ["a.b / c", "a / b.c"]
    awkward = names(
        ("a.b / c · d", "e"), ("a", "b / c · d.e"), ("a.b", "c · d / e"), ("a.b / c", "d · e")
    )
    assert len(set(awkward)) == 4


def test_notes_are_about_the_measures_asked_for() -> None:
    rows = rows_from({"a": (1.0, 1.0, None), "b": (0.0, 2.0, 1.0)}, ("smaller", "larger", "larger"))
    assert rank(rows, ["M0", "M1"]).notes == ()
    assert any("of 4 numbers 1 failed" in note for note in rank(rows, ["M0", "M2"]).notes)


def test_more_rows_than_fit_are_refused() -> None:
    rows = rows_from({str(n): (float(n), float(-n)) for n in range(MOST_ROWS + 1)})
    assert len(rank(rows[:40]).order) == 20
    with pytest.raises(UnslantError, match="at most 5,000 rows, and this has 5,001"):
        rank(rows)
