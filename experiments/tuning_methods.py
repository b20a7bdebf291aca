"""Methods that train a language model beside an eraser and their control, in one table.

    python -m experiments.tuning_methods MODEL --text FILE --work DIR

MODEL is the folder of an encoder with its masked head (docs/train-heads.md makes one). Each method
trains it on the text for the same number of short rounds, on one thread; each result is measured
before and after on the same resamples. Trained models are kept in the cache (UNSLANT_CACHE), and
every record in DIR as soon as it is done, so a run that was stopped goes on where it was. At the
end all records in DIR are written to experiments/results/tuning-methods.csv and, as two tables,
into docs/tuning-methods.md; ``--tables-only`` does only that.
UNSLANT_DATA names the folder with stereoset/dev.json and SICK.
"""

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scripts.marked_page import between

import unslant as us
from experiments.csv_table import write_csv
from unslant.core.files import write_text
from unslant.core.read_record import record_from
from unslant.core.record import Record
from unslant.studies.treated_model import TreatedModel, treated_model

METHODS: Mapping[str, str] = {
    "original": "",
    "control": "control({how})",
    "dropout": "dropout({how})",
    "CDA": "cda({how})",
    "context-debias": "context-debias({how})",
    "context-debias, control": "context-debias({how}, alpha=0)",
    "DebiasBERT-style": "debias-bert({how})",
    "LEACE, last layer": "leace@layer:-1",
    "random direction, last layer": "random@layer:-1",
    "LEACE in training": "leace-in-training({how})@layer:-1",
    "random direction in training": "leace-in-training({how}, eraser=random)@layer:-1",
    "context-debias, then LEACE": "context-debias({how}) | leace@layer:-1",
}
COLUMNS: Mapping[str, tuple[str, int]] = {
    "SEAT 6": ("weat", 2),
    "group found": ("probing", 2),
    "SICK": ("relatedness", 3),
    "SS": ("stereoset-ss-intra-gender", 1),
    "excess": ("stereoset-intra-excess", 1),
    "LMS": ("stereoset-lms-intra-gender", 1),
    "masked": ("masked-accuracy", 3),
}
"""Scores of the page's table, and their digits."""
HEAD = (
    *("method", "score", "value", "low", "high", "p", "change", "change_low", "change_high"),
    "verdict",
)
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "tuning-methods.csv"
TRAININGS = HERE / "results" / "tuning-trainings.csv"
PAGE = HERE.parent / "docs" / "tuning-methods.md"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--methods", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if not given.tables_only:
        how = (
            f'text="{given.text.resolve()}", rounds={given.rounds}, steps={given.steps}, '
            f"batch={given.batch}, longest=40, sentences=100000"
        )
        original = us.load(given.model)
        for name in given.methods:
            examine(name, METHODS[name].format(how=how), original, given.work)
    write_results(given.work)


def examine(name: str, chain: str, original: Any, work: Path) -> None:
    """Every record of one method, unless it is there."""
    kinds = [kind for kind in RUNS if not (work / f"{name} -- {kind}.json").exists()]
    if not kinds:
        return
    began = time.monotonic()
    gender = us.concept("gender")
    treated = treated_model(chain, original, gender) if chain else None
    print(f"{name}: ready after {time.monotonic() - began:.0f} s", flush=True)
    for kind in kinds:
        began = time.monotonic()
        record = measured(kind, treated, original)
        write_text(work / f"{name} -- {kind}.json", json.dumps(record.to_dict()))
        print(f"{name}, {kind}: {time.monotonic() - began:.0f} s", flush=True)


def measured(kind: str, treated: TreatedModel | None, original: Any) -> Record:
    """One record, with what was done to the model."""
    model, baseline = (original, None) if treated is None else (treated.after, original)
    record: Record = RUNS[kind](model, baseline)
    return replace(record, treatment=treated.treatment if treated else None)


def seat(model: Any, baseline: Any) -> Record:
    test = us.concept("seat").test("6")
    return us.audit(model, "seat", baseline=baseline, jobs=[("weat", test)]).record


def vectors(model: Any, baseline: Any) -> Record:
    jobs: list[Any] = [("probing", us.concept("gender")), ("relatedness(sick-trial)", None)]
    return us.audit(model, "gender", baseline=baseline, jobs=jobs).record


def stereoset(model: Any, baseline: Any) -> Record:
    return us.probe("stereoset(domain=gender, tasks=intra)", model, baseline=baseline).record


def masked(model: Any, baseline: Any) -> Record:
    return us.probe("masked-accuracy", model, baseline=baseline).record


RUNS: Mapping[str, Callable[[Any, Any], Record]] = {
    "seat": seat,
    "vectors": vectors,
    "stereoset": stereoset,
    "masked": masked,
}


def records(work: Path) -> Iterator[tuple[str, Record]]:
    for name in METHODS:
        for kind in RUNS:
            path = work / f"{name} -- {kind}.json"
            if path.exists():
                yield name, record_from(json.loads(path.read_text()))


def rows(work: Path) -> Iterator[tuple[object, ...]]:
    for name, record in records(work):
        for result in record.results:
            now, change = result.now, result.change
            ends = (now.interval.low, now.interval.high) if now.interval else (None, None)
            moved = change.interval if change else None
            yield (
                *(name, now.metric, now.value, *ends),
                now.p.value if now.p else None,
                change.difference if change else None,
                *((moved.low, moved.high) if moved else (None, None)),
                change.verdict if change else None,
            )


def trainings(work: Path) -> Iterator[tuple[object, ...]]:
    """What each training says of itself, once."""
    done: set[str] = set()
    for name, record in records(work):
        if record.treatment is None or name in done:
            continue
        done.add(name)
        for stage in record.treatment.stages:
            for key, value in stage.details.items():
                if isinstance(value, int | float) and "steps" in stage.details:
                    yield name, key, value


def write_results(work: Path) -> None:
    for target, head, found in (
        (RESULT, HEAD, rows(work)),
        (TRAININGS, ("method", "fact", "value"), trainings(work)),
    ):
        write_csv(target, head, found)
    page = between(PAGE, PAGE.read_text(encoding="utf-8"), "scores", scores_table())
    write_text(PAGE, between(PAGE, page, "trainings", trainings_table()))


def scores_table() -> str:
    """A row for each method, values with intervals; + is better, − is worse."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in csv.DictReader(RESULT.read_text(encoding="utf-8").splitlines()):
        found.setdefault(row["method"], {})[row["score"]] = row
    lines = [f"| method | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    for method, scores in found.items():
        cells = [_cell(scores.get(score), digits) for score, digits in COLUMNS.values()]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(row: Mapping[str, str] | None, digits: int) -> str:
    if row is None or not row["value"]:
        return "" if row is None else "undefined"
    shown = f"{float(row['value']):.{digits}f}"
    if row["low"]:
        shown += f" ({float(row['low']):.{digits}f}–{float(row['high']):.{digits}f})"
    return shown + {"better": " +", "worse": " −"}.get(row["verdict"], "")


def trainings_table() -> str:
    """A row for each term of each training, before and after on held-out sentences."""
    facts: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(TRAININGS.read_text(encoding="utf-8").splitlines()):
        facts.setdefault(row["method"], {})[row["fact"]] = float(row["value"])
    lines = ["| method | held-out term | before | after | best round | steps | seconds |"]
    lines.append("|---|---|---|---|---|---|---|")
    for method, known in facts.items():
        for key, before in known.items():
            if not key.startswith("held-out ") or not key.endswith(" before"):
                continue
            term = key.removeprefix("held-out ").removesuffix(" before")
            best = f"{known['best-round']:.0f} of {known['rounds']:.0f}"
            lines.append(
                f"| {method} | {term} | {before:.4g} | {known[f'held-out {term} after']:.4g} | "
                f"{best} | {known['steps']:.0f} | {known['seconds']:.0f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
