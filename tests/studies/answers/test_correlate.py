"""Which measures go together, said with how little a few rows allow to say."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.plain import from_plain, to_plain
from unslant.core.study_record import Correlations
from unslant.studies.answers import Row, correlate

MEASURES = ("A", "B", "C", "D")


def rows_from(data: Any, measures: tuple[str, ...] = MEASURES) -> list[Row]:
    return [
        Row(
            resource=f"r{n}",
            method="",
            measure=measure,
            concept="g",
            seed=0,
            value=None if np.isnan(value) else float(value),
            state="missing" if np.isnan(value) else "done",
        )
        for n, line in enumerate(data)
        for measure, value in zip(measures, line, strict=True)
    ]


@pytest.fixture(scope="module")
def data() -> Any:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(14, 4))
    data[:, 1] += 2 * data[:, 0]
    data[3, 2] = np.nan
    return data


@pytest.fixture(scope="module")
def answer(data: Any) -> Correlations:
    return correlate(rows_from(data))


def test_every_pair_has_both_coefficients_of_scipy_and_its_own_n(
    data: Any, answer: Correlations
) -> None:
    assert len(answer.pairs) == 12
    for pair in answer.pairs:
        columns = data[:, [MEASURES.index(pair.first), MEASURES.index(pair.second)]]
        x, y = columns[~np.isnan(columns).any(axis=1)].T
        peer = stats.pearsonr if pair.kind == "pearson" else stats.spearmanr
        assert pair.value == pytest.approx(peer(x, y)[0], abs=1e-12)
        assert pair.n == len(x) == (13 if "C" in (pair.first, pair.second) else 14)
        assert pair.low is not None
        assert pair.high is not None
        assert pair.low <= peer(x, y)[0] <= pair.high


def test_the_correction_is_over_all_pairs_of_a_coefficient(answer: Correlations) -> None:
    for kind in ("pearson", "spearman"):
        pairs = [pair for pair in answer.pairs if pair.kind == kind]
        peer = stats.false_discovery_control([pair.p for pair in pairs])
        assert [pair.corrected for pair in pairs] == pytest.approx(peer)


def test_matrices_are_symmetric_with_ones_across(answer: Correlations) -> None:
    for matrix in answer.matrices.values():
        assert matrix == tuple(zip(*matrix, strict=True))
        assert np.array_equal(np.diag(matrix), np.ones(4))


def test_one_against_all_has_the_same_numbers_corrected_for_fewer_pairs(
    data: Any, answer: Correlations
) -> None:
    few = correlate(rows_from(data), against="B")
    assert [(pair.first, pair.second) for pair in few.pairs[:3]] == [
        ("A", "B"),
        ("C", "B"),
        ("D", "B"),
    ]
    every = {(p.kind, frozenset((p.first, p.second))): p for p in answer.pairs}
    for pair in few.pairs:
        same = every[pair.kind, frozenset((pair.first, pair.second))]
        assert all(
            getattr(pair, part) == getattr(same, part)
            for part in ("value", "n", "low", "high", "p")
        )
        assert pair.corrected is not None
        assert same.corrected is not None
        assert pair.corrected <= same.corrected


def test_the_order_of_rows_and_measures_does_not_matter_for_a_pair(data: Any) -> None:
    whole = data[:, :2]
    one = correlate(rows_from(whole, ("A", "B"))).pairs[0]
    other = correlate(rows_from(whole[:, ::-1], ("B", "A"))).pairs[0]
    assert replace(one, first="", second="") == replace(other, first="", second="")


def test_it_says_plainly_how_wide_the_intervals_are(answer: Correlations) -> None:
    wide, clear = answer.sentences
    pairs = [pair for pair in answer.pairs if pair.kind == "pearson"]
    said = [p for p in pairs if f"({p.first} and {p.second})" in wide]
    assert len(said) == 1
    widths = sorted(pair.width for pair in pairs if pair.width is not None)
    assert said[0].width == widths[2]  # neither the best case nor the worst
    assert f"With {said[0].n} rows a correlation of " in wide
    for part in ("value", "low", "high"):
        assert f"{getattr(said[0], part):.2f}".replace("0.", ".").replace("-", "−") in wide
    assert clear.startswith(
        f"{sum(p.corrected is not None and p.corrected <= 0.05 for p in pairs)} of 6 "
    )


def test_what_lacks_numbers_is_said(data: Any, answer: Correlations) -> None:
    assert "1 is not done yet" in answer.notes[0]
    constant = data.copy()
    constant[:, 3] = 0.5
    record = correlate(rows_from(constant))
    assert (
        "6 of 12 coefficients have no value; A and D: one of the two is constant"
        in (record.notes[-1])
    )
    assert record.matrices["pearson"][0][3] is None
    assert from_plain(Correlations, json.loads(json.dumps(to_plain(record)))) == record


def test_rows_of_one_resource_are_said_to_depend_on_each_other(data: Any) -> None:
    rows = rows_from(data[:6])
    shared = [Row(**{**vars(row), "resource": "r", "method": row.resource}) for row in rows]
    assert any("not independent" in note for note in correlate(shared).notes)
    assert not any("not independent" in note for note in correlate(rows).notes)


def test_too_few_rows_say_next_to_nothing_and_are_told_so(data: Any) -> None:
    for n in (1, 2, 3, 4):
        record = correlate(rows_from(data[4 : 4 + n]))
        assert "too few rows" in record.sentences[0]
        assert all((pair.value is None) == (n < 3) for pair in record.pairs)


def test_one_measure_or_an_unknown_one_is_refused(data: Any) -> None:
    with pytest.raises(UnslantError, match="takes two measures"):
        correlate(rows_from(data[:, :1], ("A",)))
    with pytest.raises(UnknownNameError, match='No measure is called "Z"'):
        correlate(rows_from(data), against="Z")


def test_progress_runs_to_the_end(data: Any) -> None:
    seen: list[tuple[int, int]] = []
    correlate(rows_from(data), progress=lambda _, done, total: seen.append((done, total)))
    assert seen == [(n, 12) for n in range(13)]


def test_a_perfect_correlation_counts_among_the_clear_ones(data: Any) -> None:
    perfect = data[:, [0, 1, 3]].copy()
    perfect[:, 1] = -3 * perfect[:, 0]
    record = correlate(rows_from(perfect, ("A", "B", "C")))
    assert record.pairs[0].low is None
    assert record.sentences[1].startswith("1 of 3 Pearson correlations")


def test_no_interval_is_said_to_be_wider_than_it_can_be(data: Any) -> None:
    wide = correlate(rows_from(data[4:9])).sentences[0]
    found = re.search(r"half of the intervals are ([12]?\.\d\d) wide or wider", wide)
    assert found is not None
    assert float(found[1]) <= 2


def test_measures_with_a_goal_are_named_whatever_the_goal(data: Any) -> None:
    def noted(goal: str, *signed: str) -> str:
        rows = [
            replace(row, better=f"closer to {goal}" if row.measure in signed else "smaller")
            for row in rows_from(data)
        ]
        return " ".join(note for note in correlate(rows).notes if "enter as" in note)

    assert noted("0") == ""
    for goal in ("0", "0.5"):
        found = noted(goal, "A", "B")
        assert found.startswith(f"Better is closer to {goal} for A and B: values enter as they are")
        assert f"on either side of {goal}," in found
        assert noted(goal, "A", "B", "D").startswith(
            f"Better is closer to {goal} for A and 2 more:"
        )


def test_an_abbreviated_measure_is_that_of_each_concept(data: Any) -> None:
    one = rows_from(data)
    other = [replace(row, concept="h", value=row.value and -row.value) for row in one]
    found = correlate([*one, *other], against="A")
    pairs = {(pair.first, pair.second) for pair in found.pairs}
    assert pairs == {(f"{m} ({c})", f"A ({c})") for m in "BCD" for c in "gh"}
    alone = correlate(one, against="A")
    assert [pair.value for pair in found.pairs if pair.second == "A (g)"] == [
        pair.value for pair in alone.pairs
    ]
    full = correlate([*one, *other], against="A (g)")
    assert {pair.second for pair in full.pairs} == {"A (g)"}
    assert len(full.pairs) == 2 * 7
    only = [row for row in other if row.measure != "D"]  # one concept has it: no need to say which
    assert {pair.second for pair in correlate([*one, *only], against="D").pairs} == {"D (g)"}
