"""The rows of a folder: every planned cell, whatever became of it."""

from pathlib import Path
from typing import Any

from unslant.core.measurement import Measurement
from unslant.studies.answers import stored_rows, table
from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.plan_folder import PlannedCell
from unslant.studies.run.store import Store


def label(method: str) -> tuple[str | int, ...]:
    return ("glove", method, "DB", "gender", 0)


def result(cell: str, method: str, value: float) -> dict[str, Any]:
    record = Measurement(value=value, metric="direct-bias", better="smaller").to_dict()
    return {"id": cell, "label": list(label(method)), "measurement": record}


def plan_in(folder: Path) -> Plan:
    path = folder / "plan.toml"
    path.write_text(
        """
        resources = { slice = "builtin" }
        methods = { original = "" }
        measures = { DB = "direct-bias", GIPE = "gipe" }
        matrix = [{ }]
        """
    )
    return read_plan(path)


def test_done_failed_damaged_and_missing_cells_are_all_there_in_the_order_of_the_plan(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "study")
    store.save_plan(plan_in(tmp_path))
    store.write("aa11", result("aa11", "done", 0.5), {})
    store.write("bb22", result("bb22", "damaged", 0.4), {})
    store.fail("cc33", "no such word", label("failed"))
    path = store.path("bb22")
    path.write_bytes(path.read_bytes().replace(b"0.4", b"0.1"))
    entries = [
        PlannedCell(label=label("missing"), id="dd44"),
        PlannedCell(label=label("failed"), id="cc33"),
        PlannedCell(label=label("twin"), id="aa11"),
        PlannedCell(label=label("damaged"), id="bb22"),
        PlannedCell(label=label("done"), id="aa11"),
        PlannedCell(label=label("impossible"), problem="the file is not there"),
    ]
    store.save_index(entries)
    rows = stored_rows(store)
    assert [(row.method, row.state, row.value) for row in rows] == [
        ("missing", "missing", None),
        ("failed", "failed", None),
        ("twin", "done", 0.5),
        ("damaged", "missing", None),
        ("done", "done", 0.5),
        ("impossible", "failed", None),
    ]
    assert (rows[1].why, rows[5].why) == ("no such word", "the file is not there")
    assert "of 6 numbers 2 are not done yet and 2 failed" in table(rows).notes[0]


def test_before_the_first_run_everything_planned_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.save_plan(plan_in(tmp_path))
    rows = stored_rows(store)
    assert [(row.resource, row.method, row.measure, row.state) for row in rows] == [
        ("slice", "original", "DB", "missing"),
        ("slice", "original", "GIPE", "missing"),
    ]
