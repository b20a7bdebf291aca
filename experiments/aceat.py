"""ACEAT of an encoder before and after training it on named entities: Dutta's Tables 1 and 2.

    python -m experiments.aceat pretrained=DIR ner=DIR debiased=DIR --work DIR

Each CONDITION=FOLDER names a model: ``pretrained`` as it was, ``ner`` after training on named
entities, ``debiased`` after the same with adversaries; more models of one condition are told apart
by the names of their folders. Every record is kept in DIR as soon as it is done, and a run that was
stopped goes on where it was. Models other than the pretrained one are compared with the first
pretrained one that is named. At the end all records in DIR are written to
experiments/results/aceat.csv and, as tables, into docs/aceat.md; ``--tables-only`` does only that.
UNSLANT_DATA names the folder with ner/conll2003.
"""

import argparse
import csv
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scripts.marked_page import between

import unslant as us
from experiments.csv_table import write_csv
from unslant.core.exhibits import Points
from unslant.core.files import write_text
from unslant.core.read_record import record_from
from unslant.core.record import Record, Result
from unslant.core.seeds import generator
from unslant.numerics.permutation import permutation_test
from unslant.predictors.protocols import NameInContext

CONDITIONS: Mapping[str, str] = {
    "pretrained": "pretrained",
    "ner": "after NER training",
    "debiased": "after NER training with adversaries",
}
PUBLISHED: Mapping[tuple[str, str], tuple[str, str]] = {
    ("gender", "pretrained"): (".3765", ".0098"),
    ("gender", "ner"): ("−.0679", ".3951"),
    ("gender", "debiased"): ("−.1146", ".3184"),
    ("race", "pretrained"): ("1.1654", ".00000"),
    ("race", "ner"): (".9229", ".00015"),
    ("race", "debiased"): (".3793", ".06125"),
}
"""d and p of Tables 1 and 2."""
HEAD = (
    *("condition", "model", "score", "title", "value", "low", "high", "p", "p_greater", "holm"),
    *("change", "change_low", "change_high", "verdict"),
    *("positive_mentions", "negative_mentions", "texts_encoded", "place", "seconds"),
)
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "aceat.csv"
PAGE = HERE.parent / "docs" / "aceat.md"


class Remembering:
    """An encoder that keeps its answers, about 90 MB, for when it is asked again as a baseline."""

    def __init__(self, model: Any) -> None:
        self._predictor = model.predictor(NameInContext)
        self._known: dict[bytes, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._predictor, name)

    def name_and_rest(self, texts: Sequence[str], spans: Any, place: str) -> Any:
        """What it answered before, or the answer of the encoder."""
        key = hashlib.sha256("\n".join([place, *texts, repr(spans)]).encode()).digest()
        if key not in self._known:
            self._known[key] = self._predictor.name_and_rest(texts, spans, place)
        return self._known[key]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="*", metavar="CONDITION=FOLDER")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=0, help="a sample, to try the script")
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    first: Remembering | None = None
    for item in () if given.tables_only else given.models:
        condition, _, folder = item.partition("=")
        if condition not in CONDITIONS or not folder:
            sys.exit(f"{item}: expected CONDITION=FOLDER with {', '.join(CONDITIONS)}.")
        model = Remembering(us.load(folder))
        if first is None and condition == "pretrained":
            first = model
        is_first = model is first
        ask(condition, Path(folder), model, None if is_first else first, given)
    write_tables(given.work)


def ask(
    condition: str, folder: Path, model: Remembering, baseline: Remembering | None, given: Any
) -> None:
    """One record, unless it is there."""
    target = given.work / f"{condition} -- {folder.resolve().name}.json"
    if target.exists():
        return
    began = time.monotonic()

    def progress(what: str, done: int, total: int) -> None:
        print(f"\r{target.stem}: {what} {done:,} of {total:,}", end="", file=sys.stderr)

    found = us.probe(
        f"aceat(sentences={given.sentences})", model, baseline=baseline, progress=progress
    )
    found.save(target)
    seconds = time.monotonic() - began
    write_text(target.with_suffix(".seconds"), f"{seconds:.0f}\n")
    print(f"\n{target.stem}: {seconds:.0f} s", flush=True)


def rows(work: Path) -> Iterator[tuple[object, ...]]:
    for path in sorted(work.glob("* -- *.json")):
        condition, model = path.stem.split(" -- ")
        record: Record = record_from(json.loads(path.read_text(encoding="utf-8")))
        took = path.with_suffix(".seconds")
        seconds = took.read_text().strip() if took.exists() else ""
        for result in record.results:
            now, change = result.now, result.change
            ends = (now.interval.low, now.interval.high) if now.interval else (None, None)
            moved = change.interval if change else None
            yield (
                *(condition, model, now.metric, now.title, now.value, *ends),
                now.p.value if now.p else None,
                greater(record, result),
                result.corrected.holm if result.corrected else None,
                change.difference if change else None,
                *((moved.low, moved.high) if moved else (None, None)),
                change.verdict if change else None,
                *(now.details.get(key) for key in ("positive-mentions", "negative-mentions")),
                *(now.details.get(key) for key in ("texts-encoded", "place")),
                seconds,
            )


def greater(record: Record, result: Result) -> float | None:
    """The one-sided p of two groups, as published, from the names in the record."""
    if result.now.metric.startswith("aceat-groups") or result.now.value is None:
        return None
    known = {
        point.label: point.x
        for part in record.exhibits
        if isinstance(part, Points) and part.id == "names" and part.when == "now"
        for point in part.points
    }
    first, second = (np.array([known[name] for name in use.used]) for use in result.now.words)
    rng = generator(0, "aceat table", result.now.metric)
    return permutation_test(first, second, rng, alternative="greater").p_value


def write_tables(work: Path) -> None:
    write_csv(RESULT, HEAD, rows(work))
    page = PAGE.read_text(encoding="utf-8")
    found = list(csv.DictReader(RESULT.read_text(encoding="utf-8").splitlines()))
    for mark, made in (("tables", published_tables(found)), ("crossed", crossed_table(found))):
        page = between(PAGE, page, mark, made)
    write_text(PAGE, page)


def published_tables(found: Sequence[Mapping[str, str]]) -> str:
    """Tables 1 and 2: a row for each model, ours beside the published values of its condition."""
    lines = [
        "| | encoder | d | 95 % interval | p, two-sided | p, one-sided | change from pretrained "
        "| published d | published p |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for by in ("gender", "race"):
        for condition, said in CONDITIONS.items():
            for row in found:
                if row["condition"] != condition or row["score"] != f"aceat-{by}":
                    continue
                printed = PUBLISHED[by, condition]
                cells = (
                    *(f"{by}, {said}", row["model"], shown(row["value"]), reach(row, "")),
                    *(row["p"] and f"{float(row[key]):.2g}" for key in ("p", "p_greater")),
                    f"{shown(row['change'])} ({reach(row, 'change_')})" if row["change"] else "",
                    *printed,
                )
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def crossed_table(found: Sequence[Mapping[str, str]]) -> str:
    """η² of the four groups and d of each pair, a row for each model."""
    lines = [
        "| | encoder | score | value | 95 % interval | p | p, Holm |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found:
        if not row["score"].startswith(("aceat-groups", "aceat-pair")):
            continue
        name = row["title"].removeprefix("ACEAT ")
        cells = (
            *(CONDITIONS[row["condition"]], row["model"], name, shown(row["value"])),
            *(reach(row, ""), *(row[key] and f"{float(row[key]):.2g}" for key in ("p", "holm"))),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(text: str) -> str:
    return f"{float(text):.3f}".replace("-", "−") if text else "undefined"


def reach(row: Mapping[str, str], which: str) -> str:
    low, high = row[f"{which}low"], row[f"{which}high"]
    return f"{shown(low)} to {shown(high)}" if low else "none"


if __name__ == "__main__":
    main()
