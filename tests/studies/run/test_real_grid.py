"""Real measures of real vectors: the same bytes in process, on Dask, and after a new training."""

import importlib
import importlib.util
import json
import os
import signal
import threading
from pathlib import Path

import pytest

from tests.studies.run.trivial import first_lines
from unslant.studies.plan.cells import Plan
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.cluster import dask
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store

GRID = """
name = "real"
[resources]
slice = { path = "builtin", limit = 8000 }
[methods]
original = ""
hard = "hard"
random = "random"
[measures]
WEAT = { measure = "weat(resamples=200)", test = "career-family" }
DB = "direct-bias(neutral=most-frequent)"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 20 }
[[matrix]]
methods = ["original", "hard"]
[[matrix]]
methods = ["random"]
measures = ["WEAT"]
seeds = [0, 1]
"""

RETRAINED = """
name = "retrained"
[resources]
slice = { path = "builtin", limit = 2000 }
[methods]
hard = "hard"
[measures.E]
probe = "nli"
set = "marked-attribute"
measure = "marked-error"
contexts = 5
retrain = "pairs"
[measures.d]
probe = "nli"
set = "marked-attribute"
measure = "marked-distance"
contexts = 5
retrain = "pairs"
[[matrix]]
concept = "gender"
"""


def planned(folder: Path, text: str) -> Plan:
    (folder / "plan.toml").write_text(text)
    return read_plan(folder / "plan.toml")


@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason='distributed is not installed: pip install "unslant[dask]"',
)
@pytest.mark.filterwarnings("ignore")
def test_a_real_grid_on_a_cluster_that_loses_a_worker_has_the_bytes_of_one_in_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = importlib.import_module("distributed")
    plan = planned(tmp_path, GRID)
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    assert run(plan, here).is_complete
    cache = tmp_path / "cache of the workers"
    monkeypatch.setenv("UNSLANT_CACHE", str(cache))
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
        silence_logs=50,
    ) as cluster:
        doomed = next(iter(cluster.workers.values())).pid
        killed = threading.Event()

        def progress(what: str, done: int, total: int) -> None:
            if what == "Cells" and done == 3 and not killed.is_set():
                killed.set()
                os.kill(doomed, signal.SIGKILL)

        with dask(cluster.scheduler_address, wait_seconds=30) as executor:
            assert run(plan, there, executor, progress=progress).is_complete
    assert killed.is_set()
    assert len(first_lines(there)) == 2 * 3 + 2
    assert first_lines(there) == first_lines(here)
    # The workers did not find the vectors of the first run; they made them.
    assert len(list((cache / "studies").glob("*.safetensors"))) == 3


def test_a_model_that_is_trained_anew_elsewhere_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    write_pairs(tmp_path / "pairs")
    plan = planned(tmp_path, RETRAINED)
    found = []
    for place, executor in (("here", InProcess), ("there", lambda: Processes(1))):
        store, cache = Store(tmp_path / place), tmp_path / f"cache {place}"
        monkeypatch.setenv("UNSLANT_CACHE", str(cache))
        with executor() as pool:
            assert run(plan, store, pool).is_complete
        assert len(list((cache / "nli").glob("*.safetensors"))) == 1
        found.append(first_lines(store))
    assert len(found[0]) == 2
    assert found[0] == found[1]


def write_pairs(folder: Path) -> None:
    """A few sentences about animals, in the layout of SNLI."""
    folder.mkdir()
    for split, animals in (("train", ("dog", "cat", "horse", "bird")), ("dev", ("man",))):
        lines = [
            {"gold_label": label, "sentence1": f"A {one} runs.", "sentence2": f"A {one} {does}."}
            for one in animals
            for label, does in (
                ("entailment", "moves"),
                ("neutral", "is old"),
                ("contradiction", "sleeps"),
            )
        ]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"snli_1.0_{split}.jsonl").write_text(text)
