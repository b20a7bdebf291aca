"""What one machine does in a second, what a cluster adds, and what three large jobs would take.

    python -m experiments.scale models/ --work DIR

``models/`` has minilm and smollm2 (``make .venv/.ready-lm`` puts them into .venv/models). All is
measured on one core, except the study, which a local Dask cluster of one and of two workers
computes; what passes the loopback interface meanwhile is its network. The three jobs are
calculated from these figures. Writes experiments/results/scale.json and the tables of
docs/scale.md; ``--tables-only`` writes the tables from the figures that are there.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.marked_page import between

from benchmarks.harness import Contender, measure
from unslant.core.files import write_text

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scale.md"
RESULTS = ROOT / "experiments" / "results" / "scale.json"

PLAN = """
[resources]
slice = "builtin"
[methods]
original = ""
hard = "hard"
leace = "leace"
inlp = "inlp"
[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
MIDB = "midb"
clustering = "clustering"
recoverability = "recoverability"
[[matrix]]
seeds = [0, 1, 2, 3, 4, 5]
"""

PAIRS, WORDS, DIMS, PARAMETERS = 1_000_000_000, 2_200_000, 300, 7_000_000_000
CORES, NETWORK = 16, 125_000_000  # of each machine; bytes a second, which is 1 Gbit/s
MACHINES = (1, 4, 16, 64)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    if not given.tables_only:
        os.environ |= {"OMP_NUM_THREADS": "1", "UNSLANT_THREADS": "1"}
        given.work.mkdir(parents=True, exist_ok=True)
        found = measured(given.models, given.work)
        write_text(RESULTS, json.dumps(found, indent=1) + "\n")
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (
        ("measured", measured_table(found)),
        ("cluster", cluster_table(found)),
        ("jobs", jobs_table(found)),
    ):
        text = between(PAGE, text, mark, made)
    write_text(PAGE, text)


def measured(models: Path, work: Path) -> dict[str, Any]:
    """Rates of one core, and the study on a cluster of one and two workers."""
    import torch

    torch.set_num_threads(1)
    rates = {
        "template pairs": _template_pairs(),
        "pairs, MiniLM-L6": _encoder_pairs(models / "minilm"),
        "tokens, SmolLM2-135M": _decoder_tokens(models / "smollm2"),
    }
    cluster = [_on_dask(work, workers) for workers in (1, 2)]
    asked = {
        "template pairs": Contender(_whole_probe),
        "pairs, MiniLM-L6": Contender(_whole_encoding, models / "minilm"),
    }
    memory = {name: measure(one)[0].peak_rss for name, one in asked.items()}
    return {"rates": rates, "cluster": cluster, "memory": memory}


def _whole_probe() -> Callable[[], None]:
    return lambda: _none(_template_pairs())


def _whole_encoding(folder: str) -> Callable[[], None]:
    return lambda: _none(_encoder_pairs(Path(folder)))


def _none(_: object) -> None:
    """A figure that nobody asked for."""


def _rate(count: float, work: Callable[[], object]) -> dict[str, float]:
    begin = time.process_time()
    work()
    seconds = time.process_time() - begin
    print(f"{count / seconds:,.0f} a second", file=sys.stderr)
    return {"count": count, "seconds": seconds, "a second": count / seconds}


def _template_pairs() -> dict[str, float]:
    import unslant as us
    from unslant.probes.nli.sets import pair_set

    pairs, vectors = pair_set("gender-occupation"), us.load()
    return _rate(len(pairs), lambda: us.probe("nli", vectors))


def _encoder_pairs(folder: Path) -> dict[str, float]:
    """Pairs of short sentences read together: what fine-tuned encoders are asked."""
    import unslant as us

    model = us.load(folder)
    texts = [f"the number {n} is a number and the number {n + 1} is another" for n in range(1_024)]
    model.at("layer:-1").rows(texts[:2])
    return _rate(len(texts), lambda: model.at("layer:-1").rows(texts))


def _decoder_tokens(folder: Path) -> dict[str, float]:
    import torch
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(folder).train(mode=False)
    ids = torch.arange(32 * 32).reshape(32, 32) % 40_000
    network(ids[:2])
    weights = sum(one.numel() for one in network.parameters())
    with torch.inference_mode():
        found = _rate(ids.numel(), lambda: network(ids))
    return {**found, "parameters": float(weights)}


def _on_dask(work: Path, workers: int) -> dict[str, float]:
    import psutil
    from distributed import LocalCluster

    from unslant.studies.plan.reading import read_plan
    from unslant.studies.run.cluster import dask
    from unslant.studies.run.run import run
    from unslant.studies.run.store import Store

    plan_file = work / "plan.toml"
    plan_file.write_text(PLAN, encoding="utf-8")
    plan = read_plan(plan_file)
    os.environ["UNSLANT_CACHE"] = str(work / f"cache-{workers}-{time.time_ns()}")
    start: Any = LocalCluster
    with start(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, protocol="tcp://"
    ) as cluster:
        before, begin = psutil.net_io_counters(pernic=True)["lo"].bytes_sent, time.monotonic()
        store = Store(work / f"study-{workers}-{time.time_ns()}")
        with dask(cluster.scheduler_address) as executor:
            run(plan, store, executor)
        seconds = time.monotonic() - begin
        sent = psutil.net_io_counters(pernic=True)["lo"].bytes_sent - before
    print(f"{workers} workers: {seconds:.1f} s, {sent / 1e6:.2f} MB", file=sys.stderr)
    cells = len(plan.cells)
    return {"workers": workers, "cells": cells, "seconds": seconds, "bytes": float(sent)}


def measured_table(found: dict[str, Any]) -> str:
    """What one core does in a second."""
    peaks = {name: f"{peak / 1e9:.1f} GB" for name, peak in found["memory"].items()}
    rows = [
        f"| {name} | {one['count']:,.0f} | {one['seconds']:.1f} s | {one['a second']:,.0f} | "
        f"{peaks.get(name, '')} |"
        for name, one in found["rates"].items()
    ]
    head = "| one core | asked | time | a second | resident memory |"
    return "\n".join((head, "|---|---:|---:|---:|---:|", *rows))


def cluster_table(found: dict[str, Any]) -> str:
    """The study on one and on two workers."""
    first = found["cluster"][0]["seconds"]
    rows = [
        f"| {one['workers']} | {one['cells']} | {one['seconds']:.1f} s | "
        f"{first / one['seconds']:.2f} × | {one['bytes'] / one['cells'] / 1e3:.1f} kB |"
        for one in found["cluster"]
    ]
    head = "| workers | cells | time | faster | network, each cell |"
    return "\n".join((head, "|---:|---:|---:|---:|---:|", *rows))


def jobs_table(found: dict[str, Any]) -> str:
    """Three jobs on n machines, calculated: cores that work at the measured rate, and transfer."""
    rates = {name: one["a second"] for name, one in found["rates"].items()}
    decoder = found["rates"]["tokens, SmolLM2-135M"]
    tokens = rates["tokens, SmolLM2-135M"] * decoder["parameters"] / PARAMETERS
    jobs = (
        ("10⁹ template pairs, word vectors", PAIRS / rates["template pairs"], 2.6e9),
        ("10⁹ pairs, an encoder like MiniLM-L6", PAIRS / rates["pairs, MiniLM-L6"], 9e7),
        ("10⁶ tokens, 7 billion parameters", 1e6 / tokens, 2 * PARAMETERS),
    )
    rows = []
    for name, core_seconds, size in jobs:
        times = (_duration(core_seconds / (CORES * count) + size / NETWORK) for count in MACHINES)
        rows.append(f"| {name} | {' | '.join(times)} |")
    head = "| job | " + " | ".join(f"n = {count}" for count in MACHINES) + " |"
    return "\n".join((head, "|---|" + "---:|" * len(MACHINES), *rows))


def _duration(seconds: float) -> str:
    for most, unit in ((90, "s"), (90 * 60, "min"), (48 * 3600, "h")):
        if seconds < most:
            return f"{seconds / {'s': 1, 'min': 60, 'h': 3600}[unit]:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


if __name__ == "__main__":
    from experiments import scale  # by this name other processes find what they measure

    scale.main()
