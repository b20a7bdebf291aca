"""What differs between two studies: found by label, each kind of difference apart."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnslantError
from unslant.core.plain import from_plain, to_plain
from unslant.core.study_record import StudyDifference
from unslant.studies.answers import Row, diff

ROWS = [
    Row(
        resource="glove",
        method=method,
        measure="DB",
        concept="gender",
        seed=0,
        value=value,
        interval=(value - 0.1, value + 0.1),
        p=0.5,
        id=method,
        words_key="w",
    )
    for method, value in (("a", 0.5), ("b", 0.25), ("c", 0.0))
]


def test_a_study_is_the_same_as_itself_in_any_order() -> None:
    record = diff(ROWS, ROWS[::-1])
    assert record.is_same
    assert record.has_same_inputs
    assert (record.compared, record.changed, record.lacking) == (3, (), ())


def test_a_changed_value_is_told_absolutely_and_relatively_the_largest_first() -> None:
    other = [replace(ROWS[0], value=0.6), replace(ROWS[1], value=0.5), replace(ROWS[2], value=0.1)]
    record = diff(ROWS, other)
    assert not record.is_same
    assert [item.method for item in record.changed] == ["c", "b", "a"]
    assert [item.relative for item in record.changed] == [None, 1.0, pytest.approx(0.2)]
    assert record.changed[2].absolute == pytest.approx(0.1)
    assert record.changed[2].parts == ("value",)


def test_the_tolerance_decides_what_is_the_same() -> None:
    other = [replace(ROWS[0], value=0.5 * (1 + 1e-6)), *ROWS[1:]]
    assert not diff(ROWS, other).is_same
    assert diff(ROWS, other, relative=1e-5).is_same
    tiny = [*ROWS[:2], replace(ROWS[2], value=1e-13)]
    assert diff(ROWS, tiny).is_same
    assert not diff(ROWS, tiny, relative=0.0, absolute=0.0).is_same
    with pytest.raises(UnslantError, match="A tolerance is 0 or more"):
        diff(ROWS, ROWS, relative=-1)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("interval", {"interval": (0.0, 0.6)}),
        ("interval", {"interval": None}),
        ("p", {"p": 0.4}),
        ("words", {"words_key": "others"}),
        ("state", {"state": "undefined", "value": None, "why": "a zero vector"}),
    ],
)
def test_what_is_said_about_a_value_counts_as_well(part: str, change: dict[str, object]) -> None:
    record = diff(ROWS, [replace(ROWS[0], **change), *ROWS[1:]])  # type: ignore[arg-type]
    assert [item.parts for item in record.changed] == [(part,)]
    assert not record.is_same


def test_labels_that_only_one_has_are_listed() -> None:
    record = diff(ROWS[:2], ROWS[1:])
    assert [item.method for item in record.only_in_a] == ["a"]
    assert [item.method for item in record.only_in_b] == ["c"]
    assert not record.is_same


def test_other_inputs_under_the_same_label_are_told_but_are_no_other_value() -> None:
    record = diff(ROWS, [replace(ROWS[0], id="new"), *ROWS[1:]])
    assert record.is_same
    assert not record.has_same_inputs
    [item] = record.other_inputs
    assert (item.method, item.a, item.b) == ("a", "a", "new")


def test_studies_that_lack_results_are_never_the_same() -> None:
    gone = replace(ROWS[0], state="failed", value=None, interval=None, p=None, why="no file", id="")
    record = diff([gone, *ROWS[1:]], [gone, *ROWS[1:]])
    assert not record.is_same
    assert [(item.side, item.why) for item in record.lacking] == [
        ("A", "no file"),
        ("B", "no file"),
    ]
    mended = diff([gone, *ROWS[1:]], ROWS)
    assert [item.parts for item in mended.changed] == [("state",)]
    assert mended.changed[0].why == "no file"


VALUES = st.one_of(st.none(), st.sampled_from([0.0, 1e-300, 1e300]), st.floats(-1e300, 1e300))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=6))
@settings(max_examples=60, deadline=None)
def test_it_reads_the_same_both_ways_and_is_plain_json(
    pairs: list[tuple[float | None, float | None]],
) -> None:
    sides = [
        [
            Row(
                resource=str(n),
                method="",
                measure="m",
                concept="c",
                seed=0,
                value=pair[side],
                state="undefined" if pair[side] is None else "done",
            )
            for n, pair in enumerate(pairs)
        ]
        for side in (0, 1)
    ]
    one, other = diff(*sides), diff(*sides[::-1])
    assert one.is_same == other.is_same
    swapped = {(i.resource, i.b, i.a) for i in other.changed}
    assert {(i.resource, i.a, i.b) for i in one.changed} == swapped
    assert from_plain(StudyDifference, json.loads(json.dumps(to_plain(one)))) == one
