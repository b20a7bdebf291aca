"""What interventions do to real language models: SEAT, CEAT, probing and quality, with controls.

    python -m experiments.models_table MODELS --work DIR

MODELS is a folder with minilm, gte-small and smollm2 (``make .venv/.ready-lm`` makes
.venv/models). Each intervention on each model is one cell, kept in DIR as soon as it is done; a
run that was stopped goes on where it was. At the end the table is written to
experiments/results/models.csv and into docs/models-table.md, between its marks;
``--tables-only`` writes it from the cells there are. ``--only minilm`` computes one model.
"""

import argparse
import csv
import io
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.marked_page import between

import unslant as us
from unslant.core.errors import UnslantError
from unslant.core.files import write_text
from unslant.measures.change import change_of

METHODS: Mapping[str, str] = {
    "original": "",
    "subword": "subword",
    "sent-debias": "sent-debias",
    "layerwise": "layerwise",
    "thesis-11": "thesis-11",
    "leace, last layer": "leace@layer:-1",
    "leace, every layer": "{leace everywhere}",
    "inlp, last layer": "inlp@layer:-1",
    "random, last layer (0)": "random(seed=0)@layer:-1",
    "random, last layer (1)": "random(seed=1)@layer:-1",
    "random, word pieces (0)": "random(seed=0)@wordpieces",
    "random, every layer (0)": "{random everywhere}",
}
"""Label and chain; what acts in every layer is written out for the depth of a model."""

SLOW = ("smollm2",)
FAST_ONLY = (
    "layerwise",
    "thesis-11",
    "leace, every layer",
    "inlp, last layer",
    "random, last layer (1)",
    "random, every layer (0)",
)
"""What is left out for models of many layers."""

TESTS = ("6", "6b", "7", "7b", "8", "8b")
COLUMNS = (*(f"SEAT {test}" for test in TESTS), "CEAT 6", "probing", "relatedness")

HEAD = ("model", "method", "measure", "value", "low", "high", "p", "change", "verdict")

ROOT = Path(__file__).resolve().parent
PAGE, RESULTS = ROOT.parent / "docs" / "models-table.md", ROOT / "results" / "models.csv"


def chain(method: str, layers: int) -> str:
    """The chain of a method for a model of so many layers."""
    for name in ("leace", "random(seed=0)"):
        everywhere = " | ".join(f"{name}@layer:{number}" for number in range(1, layers + 1))
        method = method.replace(f"{{{name.partition('(')[0]} everywhere}}", everywhere)
    return method


def measured(model: Any) -> dict[str, Any]:
    """Every measure of a model, or why there is none."""
    gender, seat = us.concept("gender"), us.concept("seat")
    place = str(model.default_place)
    jobs: dict[str, tuple[str, str, Any]] = {
        f"SEAT {test}": ("weat", place, seat.test(test)) for test in TESTS
    }
    jobs["CEAT 6"] = ("ceat", "layer:-1[word]", gender.test("career-family"))
    jobs["probing"] = ("probing", place, gender)
    jobs["relatedness"] = ("relatedness(dataset=sick-trial)", place, None)
    found: dict[str, Any] = {}
    for name, (expression, where, subject) in jobs.items():
        try:
            found[name] = us.measure(expression, model.at(where), subject)
        except UnslantError as error:
            found[name] = str(error)
    return found


def cell(label: str, model: Any, before: dict[str, Any]) -> dict[str, Any]:
    """One intervention: values, intervals, p, and changes against the model before."""
    begin = time.perf_counter()
    expression = chain(METHODS[label], model.layout.layers)
    after = us.debias(expression, model, "gender") if expression else model
    found = measured(after) if expression else before
    record: dict[str, Any] = {
        "method": label,
        "expression": expression,
        "weights": model.weights_sha256,
        "place": str(model.default_place),
        "values": {},
        "version": us.__version__,
    }
    for name, item in found.items():
        if isinstance(item, str):
            record["values"][name] = {"why": item}
            continue
        value: dict[str, Any] = {"value": item.value, "why": item.why_undefined}
        if item.interval:
            value["interval"] = [item.interval.low, item.interval.high]
        if item.p:
            value["p"] = item.p.value
        if name == "probing":
            value["chance"] = item.details.get("chance")
        if expression and not isinstance(before[name], str):
            change = change_of(item, before[name])
            value["change"] = change.difference
            value["verdict"] = change.verdict
        record["values"][name] = value
    record["seconds"] = round(time.perf_counter() - begin, 1)
    return record


def compute(models: Path, work: Path, only: list[str]) -> None:
    """Every cell that is not there yet."""
    for name in only:
        model = us.load(models / name)
        before: dict[str, Any] | None = None
        for label in METHODS:
            if name in SLOW and label in FAST_ONLY:
                continue
            path = work / f"{name} {label}.json"
            if path.exists():
                continue
            if before is None:
                before = measured(model)
            record = {"model": name, **cell(label, model, before)}
            write_text(path, json.dumps(record, indent=1) + "\n")
            print(f"{name}, {label}: {record['seconds']} s", file=sys.stderr, flush=True)


def tables(work: Path, only: list[str]) -> None:
    """The table of all cells that there are."""
    parts, rows = [], []
    for name in only:
        cells = [
            json.loads(path.read_text())
            for label in METHODS
            if (path := work / f"{name} {label}.json").exists()
        ]
        if not cells:
            continue
        lines = [
            f"### {name}, at `{cells[0]['place']}`",
            "",
            f"| method | {' | '.join(COLUMNS)} |",
            f"|---|{'---|' * len(COLUMNS)}",
        ]
        for record in cells:
            values = [record["values"].get(column, {}) for column in COLUMNS]
            lines.append(f"| {record['method']} | {' | '.join(map(shown, values))} |")
            rows += [
                [name, record["method"], column, *plain(value)]
                for column, value in zip(COLUMNS, values, strict=True)
            ]
        parts.append("\n".join(lines))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["model", "method", "measure", "value", "low", "high", "p", "change", "verdict"]
    )
    writer.writerows(rows)
    write_text(RESULTS, text.getvalue())
    made = between(PAGE, PAGE.read_text(encoding="utf-8"), "models", "\n\n".join(parts))
    write_text(PAGE, made)


def shown(value: Mapping[str, Any]) -> str:
    """A value with its marks: * for p ≤ .05, ✓ or ✗ for a clear change for the better or worse."""
    if value.get("value") is None:
        return "–"
    sign = {"better": " ✓", "worse": " ✗"}.get(value.get("verdict", ""), "")
    star = "*" if value.get("p", 1) <= 0.05 else ""
    return f"{value['value']:.2f}{star}{sign}"


def plain(value: Mapping[str, Any]) -> list[Any]:
    """The cells of the CSV file."""
    low, high = value.get("interval", (None, None))
    numbers = (value.get("value"), low, high, value.get("p"), value.get("change"))
    rounded = [None if number is None else float(f"{number:.4g}") for number in numbers]
    return [*rounded, value.get("verdict", "")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=["minilm", "gte-small", "smollm2"])
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if not given.tables_only:
        compute(given.models, given.work, given.only)
    tables(given.work, ["minilm", "gte-small", "smollm2"])


if __name__ == "__main__":
    main()
