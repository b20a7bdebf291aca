"""What StereoSet and CrowS-Pairs say about real language models, before and after interventions.

    python -m experiments.language_probes MODEL … --work DIR

Each MODEL is a folder. Each intervention on each model is asked each probe; every record is kept
in DIR as soon as it is done, and a run that was stopped goes on where it was. At the end all
records in DIR are written to experiments/results/language-probes.csv and, as a table, into
docs/probes-table.md; ``--tables-only`` does only that. ``--wide`` also asks the unchanged models
about every domain.
UNSLANT_DATA names the folder with stereoset/dev.json and crows_pairs.
"""

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scripts.marked_page import between

import unslant as us
from experiments.csv_table import write_csv
from unslant.core.errors import UnslantError
from unslant.core.expression import parse_call
from unslant.core.files import write_text
from unslant.core.read_record import record_from
from unslant.measures.registry import MEASURES
from unslant.predictors.protocols import method_of

METHODS: Mapping[str, str] = {
    "original": "",
    "subword": "subword",
    "leace, last layer": "leace@layer:-1",
    "second to last layer": "linear(subspace=pair-pca(definitional, k=1, unit_length=false))"
    "@layer:-2",
    "random, last layer": "random(seed=0)@layer:-1",
    "random, word pieces": "random(seed=0)@wordpieces",
}
PROBES: Mapping[str, str] = {
    "StereoSet, gender": "stereoset(domain=gender)",
    "CrowS-Pairs, gender": "crows-pairs(kinds=gender)",
}
WIDE: Mapping[str, str] = {"StereoSet": "stereoset", "CrowS-Pairs": "crows-pairs"}
HEAD = (
    *("model", "method", "probe", "score", "value", "low", "high", "p"),
    *("change", "change_low", "change_high", "verdict"),
)
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "language-probes.csv"
PAGE = HERE.parent / "docs" / "probes-table.md"
COLUMNS: Mapping[str, str] = {
    "SS intra": "stereoset-ss-intra-gender",
    "excess intra": "stereoset-intra-excess",
    "LMS intra": "stereoset-lms-intra-gender",
    "SS inter": "stereoset-ss-inter-gender",
    "LMS inter": "stereoset-lms-inter-gender",
    "S": "stereoset-strength",
    "D": "stereoset-distance",
    "CrowS": "crows-pairs",
    "CrowS excess": "crows-pairs-excess",
}
"""Scores of the page's table, of gender items."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for folder in () if given.tables_only else given.models:
        original = us.load(folder)
        for name, chain in METHODS.items():
            model = us.debias(chain, original, "gender") if chain else original
            for probe, expression in PROBES.items():
                ask(folder.name, name, probe, expression, model, original, given.work)
        for probe, expression in WIDE.items() if given.wide else ():
            ask(folder.name, "original", probe, expression, original, original, given.work)
    write_table(given.work)


class Remembering:
    """A predictor that answers each question once, also for another probe or as a baseline."""

    def __init__(self, predictor: Any, method: str) -> None:
        self._predictor, self._known = predictor, dict[Any, float]()
        setattr(self, method, self._answered)
        self._method = getattr(predictor, method)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictor, name)

    def _answered(self, *texts: Sequence[str]) -> list[float]:
        count = next(place for place, item in enumerate((*texts, "")) if isinstance(item, str))
        asked = [(row, texts[count:]) for row in zip(*texts[:count], strict=True)]
        new = list(dict.fromkeys(row for row, how in asked if (row, how) not in self._known))
        if new:
            found = self._method(*map(list, zip(*new, strict=True)), *texts[count:])
            self._known.update(
                ((row, texts[count:]), float(value)) for row, value in zip(new, found, strict=True)
            )
        return [self._known[each] for each in asked]


@cache
def remembering(model: Any, need: type[Any]) -> Remembering:
    return Remembering(model.predictor(need), method_of(need))


def ask(
    folder: str, method: str, probe: str, expression: str, model: Any, original: Any, work: Path
) -> None:
    """One record, unless it is there."""
    target = work / f"{folder} -- {method} -- {probe}.json"
    if target.exists():
        return
    began = time.monotonic()
    need: Any = MEASURES.entry(parse_call(expression).name).facts.needs
    try:
        found = us.probe(
            expression,
            remembering(model, need),
            baseline=None if model is original else remembering(original, need),
        )
    except UnslantError as error:
        print(f"{target.stem}: {error}", file=sys.stderr)
        return
    found.save(target)
    print(f"{target.stem}: {time.monotonic() - began:.0f} s", flush=True)


def rows(work: Path) -> Iterator[tuple[object, ...]]:
    for path in sorted(work.glob("* -- * -- *.json")):
        model, method, probe = path.stem.split(" -- ")
        for result in record_from(json.loads(path.read_text())).results:
            now, change = result.now, result.change
            ends = (now.interval.low, now.interval.high) if now.interval else (None, None)
            moved = change.interval if change else None
            yield (
                *(model, method, probe, now.metric, now.value, *ends),
                now.p.value if now.p else None,
                change.difference if change else None,
                *((moved.low, moved.high) if moved else (None, None)),
                change.verdict if change else None,
            )


def write_table(work: Path) -> None:
    write_csv(RESULT, HEAD, rows(work))
    write_text(PAGE, between(PAGE, PAGE.read_text(encoding="utf-8"), "probes", page_table()))


def page_table() -> str:
    """A row for each model and method, values with intervals; + is better, − is worse."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in csv.DictReader(RESULT.read_text(encoding="utf-8").splitlines()):
        if not row["probe"].endswith(", gender"):
            continue
        shown = "undefined"
        if row["value"]:
            digits = 3 if row["score"] in ("stereoset-strength", "stereoset-distance") else 1
            value, low, high = (f"{float(row[key]):.{digits}f}" for key in ("value", "low", "high"))
            mark = {"better": " +", "worse": " −"}.get(row["verdict"], "")
            shown = f"{value} ({low}–{high}){mark}"
        found.setdefault((row["model"], row["method"]), {})[row["score"]] = shown
    lines = [f"| model | method | {' | '.join(COLUMNS)} |", f"|---|---|{'---|' * len(COLUMNS)}"]
    for model in dict.fromkeys(model for model, _ in found):
        for method in METHODS:
            if scores := found.get((model, method)):
                cells = [scores.get(name, "") for name in COLUMNS.values()]
                lines.append(f"| {model} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
