"""The matrix of correlations: every pair once, what may be chance is pale."""

import numpy as np
import pytest

from tests.reports.figures.made_studies import check, data, row, study
from unslant.core.study_record import StudyPart
from unslant.reports.figures.correlations import correlations

WAYS = {"A": "smaller", "B": "smaller", "C [x].y": "larger", "same": "larger"}


def record(rows: int) -> StudyPart:
    rng = np.random.default_rng(0)
    a = rng.normal(size=rows)
    values = {"A": a, "B": 2 * a + 0.01 * rng.normal(size=rows), "C [x].y": rng.normal(size=rows)}
    values["same"] = np.ones(rows)
    return study(
        [
            row(f"method {place}", name, float(values[name][place]), WAYS[name])
            for place in range(rows)
            for name in WAYS
        ]
    )


def test_every_pair_is_there_once_with_its_coefficient_and_how_sure_it_is() -> None:
    plain = record(12)
    assert plain.table is not None
    assert plain.correlations is not None
    pearson, spearman = correlations(plain)
    for figure in (pearson, spearman):
        check(figure, ["[x]"])
    cells = {(one["first"], one["second"]): one for one in data(pearson)}
    assert len(cells) == len(data(pearson)) == 6
    columns = {
        name: [cell.value or 0.0 for cell in plain.table.column(place)]
        for place, name in enumerate(WAYS)
    }
    expected = np.corrcoef(columns["A"], columns["C [x].y"])[0, 1]
    shown = cells["A", "C [x].y"]["text"].replace("−", "-")
    assert float(shown) == pytest.approx(expected, abs=0.005)
    assert cells["A", "B"]["clear"]
    assert cells["A", "B"]["strength"] > 0.65
    assert not cells["A", "C [x].y"]["clear"]
    assert cells["A", "C [x].y"]["strength"] < 0.25
    assert cells["A", "B"]["n"] == 12
    assert " to " in cells["A", "B"]["span"]
    assert cells["A", "same"]["text"] == "NA"
    assert cells["A", "same"]["note"] != "–"
    assert "over 12 rows" in pearson.title
    assert "not independent" in pearson.caption
    known = plain.correlations.of_kind("pearson")
    widths = sorted(one.width for one in known if one.width is not None)
    share = 100 * widths[len(widths) // 2] / 2
    assert len(widths) == 3
    assert f"the 95 % interval of the middle pair covers {share:.0f} %" in pearson.caption
    assert "1 of 3 are clear" in pearson.description


def test_a_study_with_too_few_rows_or_measures_has_none() -> None:
    assert correlations(study([row("original", "A", 1.0, "smaller")])) == ()
    few = correlations(record(4))
    assert len(few) == 2
    assert "no intervals" in few[0].caption
