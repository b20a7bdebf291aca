"""The tables of Dev et al. (2020) on their vectors: GloVe 840B, and models with a BiLSTM.

    python -m experiments.dev_tables glove.840B.300d.txt snli/ --work DIR --workers 2

The rows and the measures are those of experiments/nli.py; the models read words with a BiLSTM, as
Dev et al. do. Each vector space is trained on with several seeds, because one training alone does
not tell a method from chance. What is done is kept in DIR, and a run that was stopped goes on
where it was; every figure that is there is written to experiments/results/dev-tables.csv. Rows
that stand there already are kept and not trained again, so that another machine can add to them.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from experiments.nli import Bench, Row, run
from experiments.papers.tables import RESULTS, as_csv, rows_of
from unslant.core.files import write_text
from unslant.models.nli.settings import NliTraining

RESULT = RESULTS / "dev-tables.csv"
HEAD = ("concept", "method", "seed", "set", "measure", "value", "low", "high")

Space = tuple[str, str, str]

HOW = NliTraining(encoder="bilstm", epochs=5, batch=256, learning_rate=2e-3)

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
    Row("linear", "nationality", seed=2),
    Row("linear", "religion", seed=2),
    *(
        row
        for seed in range(3, 8)
        for row in (
            Row(seed=seed),
            Row("linear", seed=seed),
            Row(f"random(seed={seed})", seed=seed),
        )
    ),
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
    standing = by_space(rows_of(RESULT))
    if not given.tables_only:
        missing = [row for row in ROWS if space(row) not in standing]
        with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
            for job in [pool.submit(run, row, bench) for row in missing]:
                print(job.result(), flush=True)
                # After every row: a training takes 18 minutes, and a stopped run loses none.
                write_rows(bench, standing)
    write_rows(bench, standing)


def write_rows(bench: Bench, standing: Mapping[Space, list[Sequence[str]]]) -> None:
    """Write every finished row to the results: those trained here, and those that were there."""
    lines: list[Sequence[object]] = []
    for row in ROWS:
        if bench.figures(row).exists():
            lines += lines_of(row, json.loads(bench.figures(row).read_text(encoding="utf-8")))
        else:
            lines += standing.get(space(row), [])
    write_text(RESULT, as_csv(HEAD, lines))
    done = len(by_space(rows_of(RESULT)))
    print(f"{done} of {len(ROWS)} rows are in {RESULT.name}")


def space(row: Row) -> Space:
    """How a row is named in the results: concept, method and seed."""
    return row.concept, row.method or "original", str(row.seed)


def by_space(rows: Iterable[Mapping[str, str]]) -> dict[Space, list[Sequence[str]]]:
    """The lines of a file of results, by what they are of."""
    found: dict[Space, list[Sequence[str]]] = {}
    for row in rows:
        key = row["concept"], row["method"], row["seed"]
        found.setdefault(key, []).append(tuple(row.values()))
    return found


def lines_of(row: Row, figures: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """One line for each number that was measured of a row."""
    named = space(row)
    yield *named, "snli", "dev-accuracy", str(figures["training"]["dev_accuracy"]), "", ""
    for pairs, measures in figures["retrained"].items():
        for measure, found in measures.items():
            if measure == "examples" or measure.endswith("-change"):
                continue
            ends = found.get("interval") or {}
            shown = (f"{ends[end]:.5g}" if end in ends else "" for end in ("low", "high"))
            yield *named, pairs, measure, f"{found['value']:.5g}", *shown


if __name__ == "__main__":
    main()
