"""How often taggers find persons if their names suggest another gender or race.

    python -m experiments.name_swap TAGGER … --corpus conll2003/ --work DIR

Each TAGGER is a folder: a model that ``unslant train ner`` wrote, or a spaCy pipeline. Each is
asked about the test part (testb) of the corpus with exact words; every record is kept in DIR as
soon as it is done, and a run that was stopped goes on where it was. At the end all records in DIR
are written to experiments/results/name-swap.csv and, as tables, into docs/name-swap.md;
``--tables-only`` does only that.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from scripts.marked_page import between

import unslant as us
from experiments.csv_table import write_csv
from unslant.core.exhibits import Shares
from unslant.core.files import write_text
from unslant.core.read_record import record_from
from unslant.core.record import Record, Result

PARTS = ("testb",)
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "name-swap.csv"
PAGE = HERE.parent / "docs" / "name-swap.md"
HEAD = (
    *("tagger", "part", "score", "value", "low", "high", "p", "how", "holm"),
    *("any_overlap", "mentions", "sentences_tagged"),
)
ROWS: Mapping[str, str] = {
    "own": "recall of the corpus' own names",
    "recall-female": "recall, women",
    "recall-male": "recall, men",
    "recall-african-american": "recall, African American",
    "recall-european": "recall, European American",
    "gap-female-male": "gap, women − men",
    "gap-african-american-european": "gap, African American − European American",
    "gap-female-x-african-american-female-x-european": "the same among women",
    "gap-male-x-african-american-male-x-european": "the same among men",
    "largest-gender-x-race": "largest gap among the four",
}
"""Rows of the page's table, by the end of a score's name."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("taggers", nargs="*", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--parts", nargs="*", default=PARTS[:1], choices=PARTS)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if not given.tables_only and given.corpus is None:
        parser.error("name the folder of CoNLL-2003 with --corpus")
    for folder in () if given.tables_only else given.taggers:
        for part in given.parts:
            ask(folder, part, given.corpus, given.work)
    write_tables(given.work)


def ask(folder: Path, part: str, corpus: Path, work: Path) -> None:
    """One record, unless it is there."""
    target = work / f"{folder.name} -- {part}.json"
    if target.exists():
        return
    began = time.monotonic()
    us.probe(f"name-swap(corpus={corpus}, part={part})", folder).save(target)
    print(f"{target.stem}: {time.monotonic() - began:.0f} s", flush=True)


def records(work: Path) -> Iterator[tuple[str, str, Record]]:
    for path in sorted(work.glob("* -- *.json")):
        tagger, part = path.stem.split(" -- ")
        yield tagger, part, record_from(json.loads(path.read_text()))


def rows(work: Path) -> Iterator[tuple[object, ...]]:
    for tagger, part, record in records(work):
        for result in record.results:
            now = result.now
            yield (
                *(tagger, part, now.metric, now.value),
                *((now.interval.low, now.interval.high) if now.interval else (None, None)),
                *((now.p.value, now.p.how) if now.p else (None, None)),
                result.corrected.holm if result.corrected else None,
                *(now.details.get(key) for key in ("any-overlap", "mentions", "sentences-tagged")),
            )


def write_tables(work: Path) -> None:
    write_csv(RESULT, HEAD, rows(work))
    text = between(PAGE, PAGE.read_text(encoding="utf-8"), "gaps", gaps_table(work))
    write_text(PAGE, between(PAGE, text, "became", became_table(work)))


def gaps_table(work: Path) -> str:
    """A column for each tagger: the values with their intervals, and p for gaps."""
    found = {tagger: record for tagger, part, record in records(work) if part == PARTS[0]}
    lines = [f"| | {' | '.join(found)} |", f"|---|{'---|' * len(found)}"]
    for name, title in ROWS.items():
        cells = []
        for record in found.values():
            results = {each.now.metric: each for each in record.results}
            cells.append(_cell(results[f"name-swap-{name}"]))
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(result: Result) -> str:
    now = result.now
    if now.value is None:
        return now.why_undefined
    shown = _number(now.value)
    if now.interval:
        shown += f" ({_number(now.interval.low)} to {_number(now.interval.high)})"
    return shown + (f", p {now.p.value:.2g}" if now.p else "")


def _number(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def became_table(work: Path) -> str:
    """What names of each group were taken for."""
    lines: list[str] = []
    for tagger, part, record in records(work):
        for item in record.exhibits:
            if part == PARTS[0] and isinstance(item, Shares):
                head = " | ".join((tagger, *item.labels))
                lines += ["", f"| {head} |", f"|---|{'---|' * len(item.labels)}"]
                for row in item.rows:
                    shares = " | ".join(f"{share:.3f}" for share in row.shares)
                    lines.append(f"| {row.label} | {shares} |")
    return "\n".join(lines[1:])


if __name__ == "__main__":
    main()
