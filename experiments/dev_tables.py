"""The tables of Dev et al. (2020) on their vectors: GloVe 840B, and models with a BiLSTM.

    python -m experiments.dev_tables glove.840B.300d.txt snli/ --work DIR --workers 2

The rows and the measures are those of experiments/nli.py; the models read words with a BiLSTM, as
Dev et al. do. Each vector space is trained on with several seeds, because one training alone does
not tell a method from chance. What is done is kept in DIR, and a run that was stopped goes on
where it was; every figure that is there is written to experiments/results/dev-tables.csv.
"""

import argparse
import csv
import io
import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from experiments.nli import Bench, Row, run
from unslant.core.files import write_text
from unslant.models.nli.settings import Training

RESULTS = Path(__file__).resolve().parent / "results" / "dev-tables.csv"

HOW = Training(encoder="bilstm", epochs=5, batch=256, learning_rate=2e-3)

ROWS = (
    Row(),
    Row("linear"),
    Row("random(seed=0)"),
    Row("linear", "nationality"),
    Row("linear", "religion"),
    Row(seed=1),
    Row("linear", seed=1),
    Row("random(seed=1)", seed=1),
    Row(seed=2),
    Row("linear", seed=2),
    Row("random(seed=2)", seed=2),
    Row("linear", "nationality", seed=1),
    Row("linear", "religion", seed=1),
    Row(seed=3),
    Row("linear", seed=3),
    Row("random(seed=3)", seed=3),
)
"""In the order in which they are trained: what the tables need first comes first."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tables-only", action="store_true", help="write what is done, and end")
    given = parser.parse_args()
    bench = Bench(given.vectors, given.data, given.work, HOW)
    for folder in ("erasers", "models", "figures"):
        (given.work / folder).mkdir(parents=True, exist_ok=True)
    if not given.tables_only:
        with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
            for job in [pool.submit(run, row, bench) for row in ROWS]:
                print(job.result(), flush=True)
    done = {
        row: json.loads(bench.figures(row).read_text(encoding="utf-8"))
        for row in ROWS
        if bench.figures(row).exists()
    }
    write_text(RESULTS, as_csv(done))
    print(f"{len(done)} of {len(ROWS)} rows written to {RESULTS.name}")


def as_csv(done: Mapping[Row, Mapping[str, Any]]) -> str:
    """One line for each number, by space and training seed."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("concept", "method", "seed", "set", "measure", "value", "low", "high"))
    for row, figures in done.items():
        named = (row.concept, row.method or "original", row.seed)
        lines.writerow(
            (*named, "snli", "dev-accuracy", figures["training"]["dev_accuracy"], "", "")
        )
        for pairs, measures in figures["retrained"].items():
            for measure, found in measures.items():
                if measure == "examples" or measure.endswith("-change"):
                    continue
                ends = found.get("interval") or {}
                shown = (f"{ends[end]:.5g}" if end in ends else "" for end in ("low", "high"))
                lines.writerow((*named, pairs, measure, f"{found['value']:.5g}", *shown))
    return out.getvalue()


if __name__ == "__main__":
    main()
