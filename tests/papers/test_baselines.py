"""GIPE of GN-GloVe was measured against GN-GloVe itself: every table that shows it says so."""

from pathlib import Path

import pytest

from experiments.glove import INTRINSIC, METHODS, OWN_BASELINE, marked, table

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "folder"), [("glove-table.md", ""), ("papers/dawkins-2021.md", "../")]
)
def test_every_gipe_of_gn_glove_is_marked_and_explained_below_its_table(
    page: str, folder: str
) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    shown = text.partition("<!-- begin intrinsic -->")[2].partition("<!-- end intrinsic -->")[0]
    head, _, *rows = [line.strip("| ").split(" | ") for line in shown.splitlines() if "|" in line]
    place = head.index("GIPE") - len(head)  # the first header cell is empty and was stripped
    cells = {row[0]: row[place] for row in rows}
    assert {name for name, cell in cells.items() if "\\*" in cell} == {
        name for name in cells if name.startswith("GN-GloVe")
    }
    assert shown.strip().endswith(OWN_BASELINE.format(folder=folder))


def test_the_generator_marks_what_the_page_marks() -> None:
    made = table({name: dict.fromkeys(INTRINSIC, 0.5) for name in METHODS}, list(METHODS), ["GIPE"])
    assert made.count("\\*") == sum(name.startswith("GN-GloVe") for name in METHODS) == 4
    assert marked("GN-GloVe", "DB", ".1") == marked("GloVe", "GIPE", ".1") == ".1"


def test_the_other_table_names_its_baseline_too() -> None:
    text = (DOCS / "coreference-table.md").read_text(encoding="utf-8")
    assert "| 0.015† |" in text
    assert "† The baseline of this GIPE is GloVe of the same novels." in text
