"""The order of cells: those that share vectors, a model or a set come one after the other."""

from pathlib import Path

from unslant.studies.plan.reading import read_plan
from unslant.studies.run.schedule import Waiting, identified

PLAN = """
name = "order"
[resources]
slice = "builtin"
[methods]
original = ""
hard = "hard"
[measures]
DB = "direct-bias"
MIDB = "midb"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", retrain = "pairs" }
N = { probe = "nli", set = "names", measure = "marked-distance", retrain = "pairs" }
d = { probe = "nli", set = "marked-attribute", measure = "marked-distance", retrain = "pairs" }
n = { probe = "nli", set = "names", measure = "marked-error", retrain = "pairs" }
[[matrix]]
seeds = [0, 1]
"""


def waiting_in(folder: Path) -> Waiting:
    (folder / "pairs").mkdir(exist_ok=True)
    (folder / "plan.toml").write_text(PLAN)
    plan = read_plan(folder / "plan.toml")
    return Waiting(identified(plan, lambda cell: {"label": list(cell.label)})[1])


def test_one_worker_trains_each_model_once_and_asks_each_set_once(tmp_path: Path) -> None:
    waiting, seen = waiting_in(tmp_path), []
    while task := waiting.next():
        seen.append(task.cell)
        waiting.finished(task)
    assert len(seen) == 2 * 6 * 2
    assert [cell.method for cell in seen] == [""] * 12 + ["hard"] * 12
    for half in (seen[:12], seen[12:]):
        # Both seeds share the vectors; each has a model of its own.
        assert [cell.measure.is_probe for cell in half] == [False] * 4 + [True] * 8
        assert [cell.seed for cell in half[4:]] == [0] * 4 + [1] * 4
        sets = [cell.measure.expression for cell in half[4:]]
        assert sets == ["nli(set=marked-attribute)"] * 2 + ["nli(set=names)"] * 2 + sets[:4]


def test_two_workers_do_not_train_the_same_model_while_there_is_other_work(tmp_path: Path) -> None:
    waiting = waiting_in(tmp_path)
    trained: set[tuple[str, int]] = set()
    while under_way := [task for _ in range(2) if (task := waiting.next())]:
        cells = [task.cell for task in under_way if task.cell.measure.is_probe]
        models = [(cell.method, cell.seed) for cell in cells]
        new = [model for model in models if model not in trained]
        assert len(new) == len(set(new)), "two workers train one model"
        trained.update(models)
        for task in under_way:
            waiting.finished(task)
    assert len(trained) == 4
