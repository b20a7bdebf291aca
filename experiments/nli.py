"""Retrained inference models for every debiasing method: the NLI tables of the source documents.

    python -m experiments.nli glove.6B.100d.txt snli/ --work DIR --workers 2
    python -m experiments.nli_tables DIR

Each row (a method, or a control) is debiased, retrained and probed; eraser, model and figures are
kept in DIR as soon as they are done, and a run that was stopped goes on where it was. ``--only``
names single rows. The second command, at any time, writes what is done to
experiments/results/nli.csv and docs/nli.md; rows that DIR lacks stay there as they are.
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import unslant as us
from unslant.concepts import WordPolicy
from unslant.core.files import write_text
from unslant.core.plain import to_plain
from unslant.datasets.nli import read_corpus
from unslant.measures.change import change_of
from unslant.models.nli.retrain import train_to
from unslant.models.nli.settings import NliTraining
from unslant.models.nli.trained import TrainedNli, load_nli
from unslant.probes.nli.answers import Answers, ask
from unslant.probes.nli.measured import measured
from unslant.probes.nli.scores import measures_for
from unslant.probes.nli.sets import pair_set
from unslant.probes.nli.tables import extremes
from unslant.vectors import WordVectors


@dataclass(frozen=True)
class Row:
    """A space to train on: a method for a concept (none: the vectors as they are), and a seed."""

    method: str = ""
    concept: str = "gender"
    seed: int = 0

    @property
    def name(self) -> str:
        """What the row is called in tables."""
        what = self.method or "original"
        if self.concept != "gender":
            what = f"{self.concept}: {what}"
        return f"{what}, training seed {self.seed}" if self.seed else what

    @property
    def slug(self) -> str:
        """What its files are called."""
        return "".join(sign if sign.isalnum() else "-" for sign in self.name)

    @property
    def sets(self) -> tuple[str, ...]:
        """What its model is asked."""
        gender = ("gender-occupation", "marked-attribute", "occupations", "names", "sirt")
        others = ("nationality", "religion")
        if self.concept != "gender":
            return (self.concept,)
        return gender if self.method else (*gender, *others)


METHODS = (
    "linear",
    "hard",
    "misp",
    "inlp",
    "hard | misp",
    "mhd",
    "oscar",
    "bam",
    "double-hard",
    "ran",
    "gp",
    "leace",
    "gbdd",
    "half-sibling",
    "soft(scale=relative)",
    "isr",
    "sal",
    "rlace",
    "adversarial",
    "debiasnet",
    'misp(subspace="names(k=4, centred=true)")',
    "inlp(weights=information)",
)
RANDOM = tuple(f"random(seed={seed})" for seed in range(8))

ROWS = (
    Row(),
    *map(Row, METHODS[:5]),
    *map(Row, RANDOM[:4]),
    Row("linear", "nationality"),
    Row("linear", "religion"),
    Row(seed=1),
    *map(Row, METHODS[5:20]),
    Row(seed=2),
    *map(Row, RANDOM[4:]),
    *map(Row, METHODS[20:]),
    Row(seed=3),
)
"""In the order in which they are trained: what the tables need first comes first."""


@dataclass(frozen=True)
class Bench:
    """Where everything is."""

    vectors: Path
    data: Path
    work: Path
    how: NliTraining = field(default_factory=NliTraining)

    def eraser(self, row: Row) -> Path:
        """Where the fitted eraser of a row is kept."""
        return self.work / "erasers" / f"{row.slug}.safetensors"

    def model(self, row: Row) -> Path:
        """Where the trained model of a row is kept."""
        return self.work / "models" / f"{row.slug}.safetensors"

    def figures(self, row: Row) -> Path:
        """Where what was measured of a row is kept."""
        return self.work / "figures" / f"{row.slug}.json"


def run(row: Row, bench: Bench) -> str:
    """Debias, train and probe one row; what is there is not done again."""
    begin = time.monotonic()
    if bench.figures(row).exists():
        return f"{row.name}: there"
    try:
        vectors = _debiased(row, bench)
    except us.UnslantError as error:  # a method may need data that are not here
        return f"{row.name}: FAILED: {error}"
    model = _trained(row, bench, vectors)
    figures: dict[str, Any] = {
        "row": row.name,
        "vectors": {"name": vectors.name, "content_sha256": vectors.content_hash},
        "training": model.record,
        "retrained": {name: _probed(model, vectors, name, bench) for name in row.sets},
        "swapped": {},
    }
    if row.method and bench.model(Row()).exists():
        first = load_nli(bench.model(Row()))
        small = [name for name in row.sets if name in ("marked-attribute", "occupations", "names")]
        figures["swapped"] = {name: _probed(first, vectors, name, bench) for name in small}
    figures["seconds"] = round(time.monotonic() - begin, 1)
    write_text(bench.figures(row), json.dumps(figures, indent=1) + "\n")
    return f"{row.name}: dev {model.record['dev_accuracy']:.4f}, {figures['seconds']:.0f} s"


def _debiased(row: Row, bench: Bench) -> WordVectors:
    vectors: WordVectors = us.load(bench.vectors)
    if not row.method:
        return vectors
    kept = bench.eraser(row)
    if not kept.exists():
        policy = WordPolicy(missing="drop")
        us.fit(row.method, vectors, us.concept(row.concept), policy).save(kept)
    return us.debiased(vectors, us.Eraser.load(kept))


def _trained(row: Row, bench: Bench, vectors: WordVectors) -> TrainedNli:
    path = bench.model(row)
    if path.exists():
        return load_nli(path)
    return train_to(path, vectors, read_corpus(bench.data), replace(bench.how, seed=row.seed))


def _probed(model: TrainedNli, vectors: WordVectors, name: str, bench: Bench) -> dict[str, Any]:
    """All measures of a set with their intervals, and their change against the original."""
    answers = ask(pair_set(name), model.on(vectors))
    measures = measures_for(answers.set)
    now = measured(measures, answers)
    found: dict[str, Any] = {item.metric: _short(item) for item in now}
    if bench.model(Row()).exists():
        before = measured(measures, _original(name, bench))
        for item, other in zip(now, before, strict=True):
            change = to_plain(change_of(item, other))
            kept = {"value": change["percent"], "interval": change["percent_interval"]}
            found[f"{item.metric}-change"] = {key: part for key, part in kept.items() if part}
    found["examples"] = [
        item.to_dict()
        for label in ("entailment", "contradiction")
        for item in extremes(answers, label, 3, one_for_each_pair=True)
    ]
    return found


@cache
def _original(name: str, bench: Bench) -> Answers:
    return ask(pair_set(name), load_nli(bench.model(Row())).on(us.load(bench.vectors)))


def _short(item: us.Measurement) -> dict[str, Any]:
    plain = item.to_dict()
    kept = {key: plain[key] for key in ("value", "interval", "p", "details", "inputs", "seed")}
    return {key: value for key, value in kept.items() if value is not None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="*", metavar="ROW", help="rows by name; all if omitted")
    given = parser.parse_args()
    bench = Bench(given.vectors, given.data, given.work)
    for folder in ("erasers", "models", "figures"):
        (given.work / folder).mkdir(parents=True, exist_ok=True)
    print(run(ROWS[0], bench), flush=True)  # the others are compared with it
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        chosen = [row for row in ROWS[1:] if given.only is None or row.name in given.only]
        for job in [pool.submit(run, row, bench) for row in chosen]:
            print(job.result(), flush=True)


if __name__ == "__main__":
    main()
