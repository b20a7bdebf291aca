"""The plans in examples/: what they ask for, and that the quick one can be computed."""

from collections import Counter
from pathlib import Path

import pytest

from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.compute import compute
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of
from unslant.studies.run.task import Task

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def _plan(name: str) -> Plan:
    return read_plan(EXAMPLES / f"{name}.toml")


def test_the_quick_study_has_every_method_by_every_measure_and_two_more_seeds() -> None:
    plan = _plan("quick")
    assert plan.name == "quick"
    assert len(plan.cells) == 5 * 10 + 2 * 2
    assert Counter(cell.seed for cell in plan.cells) == {0: 50, 1: 2, 2: 2}
    assert {cell.resource.path for cell in plan.cells} == {"builtin"}
    assert len({cell_id(inputs_of(cell, FileHashes())) for cell in plan.cells}) == 54


def test_the_tables_of_the_papers_are_all_there() -> None:
    cells = _plan("paper-tables").cells
    spaces = {(cell.resource.label, cell.method_label) for cell in cells}
    assert len(spaces & {("word2vec", m) for m in ("original", "HD", "DHD", "BAM", "OSCaR")}) == 5
    of_glove = ("original", "HD", "DHD", "GP", "BAM", "OSCaR", "RAN", "INLP", "MISP")
    assert {method for resource, method in spaces if resource == "GloVe"} == {
        *of_glove,
        "linear",
        "linear, unit means",
    }
    intrinsic = {"DB", "MIDB", "Clus v1500", "Rec LR", "SB def", "SB stereo", "GIPE", "E"}
    by_space = {
        space: {
            cell.measure.label
            for cell in cells
            if (cell.resource.label, cell.method_label) == space and cell.concept == "gender"
        }
        for space in spaces
    }
    table_b = [space for space, labels in by_space.items() if intrinsic <= labels]
    assert len(table_b) == 5 + 9
    assert Counter(cell.concept for cell in cells) == {"gender": 368, "caliskan": 30, "race": 4}
    assert len(cells) == 5 * 8 + 9 * 21 + 9 * 15 + 3 * 10 + 2 * 2 + 2 * 2


def test_the_marks_of_the_tables_can_be_taken_away(tmp_path: Path) -> None:
    text = (EXAMPLES / "paper-tables.toml").read_text(encoding="utf-8")
    head, mark, tail = text.rpartition("# [[matrix]]")
    assert mark
    for line in ("GN-GloVe = ", "w_a = ", '"w_a, MISP" = ', '"w_a, MHD" = '):
        assert head.count(f"\n# {line}") == 1
        head = head.replace(f"\n# {line}", f"\n{line}")
    path = tmp_path / "plan.toml"
    path.write_text(head + (mark + tail).replace("# ", ""), encoding="utf-8")
    assert len(read_plan(path).cells) == 402 + 5 * 8


def test_cells_of_the_quick_study_are_computed_by_their_plan() -> None:
    facts, values = FileHashes(), {}
    wanted = {"WEAT 6", "SB stereo", "E"}
    for cell in _plan("quick").cells:
        if cell.measure.label in wanted and cell.method_label in ("original", "hard", "random"):
            inputs = inputs_of(cell, facts)
            done = compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))
            values[cell.method_label, cell.measure.label, cell.seed] = done["measurement"]["value"]
    assert len(values) == 3 * 3 + 2 * 2
    assert all(value is not None for value in values.values())
    assert values["original", "WEAT 6", 0] == pytest.approx(1.7178, abs=1e-3)
    assert values["hard", "WEAT 6", 0] < values["original", "WEAT 6", 0]
    assert values["original", "SB stereo", 0] == pytest.approx(0.1909, abs=1e-3)
    assert len({values["random", "E", seed] for seed in (0, 1, 2)}) == 3
