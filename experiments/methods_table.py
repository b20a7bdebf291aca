"""Every debiasing method measured by every intrinsic measure: the layout of the thesis' Table B.1.

    python experiments/methods_table.py glove.6B.100d.txt GoogleNews.bin --work DIR

Each method on each file is one cell, kept in DIR as soon as it is done; a run that was stopped
goes on where it was. At the end the tables are written to experiments/results/ (as CSV) and into
docs/methods-table.md, between its marks. ``--tables-only`` writes them from the cells there are.
Needs the similarity and analogy sets (UNSLANT_DATA, or ``unslant files fetch all``).
"""

import argparse
import csv
import io
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import unslant as us
from unslant.concepts import WordPolicy
from unslant.core.files import write_text
from unslant.core.plain import to_plain
from unslant.methods.movement import movement
from unslant.vectors import WordVectors

METHODS = (
    "",
    "linear",
    "hard",
    "soft",
    "soft(scale=relative)",
    "double-hard",
    "gbdd",
    "bam",
    "oscar",
    "isr",
    "inlp",
    "inlp(weights=information)",
    "gp",
    "ran",
    "misp",
    'misp(subspace="names(k=4, centred=true)")',
    "mhd",
    "half-sibling",
    "leace",
    "sal",
    "rlace",
    "adversarial",
    "debiasnet",
    "hard | misp",
    "random(seed=0)",
    "random(seed=1)",
    "random(seed=2)",
    "random(seed=3)",
)
"""The original first, the controls last."""

MEASURES: Mapping[str, tuple[str, str | None, str]] = {
    "DB": ("direct-bias(neutral=most-frequent)", None, ""),
    "DB refitted": ("direct-bias(neutral=most-frequent, of=refitted)", None, ""),
    "MIDB": ("midb", None, ""),
    "Clus v": ("clustering", None, "V-measure"),
    "Rec LR": ("recoverability", None, ""),
    "Rec RBF": ("recoverability(classifier=rbf-svm)", None, ""),
    "SB def": ("sembias", None, ""),
    "SB stereo": ("sembias", None, "stereotype"),
    "GIPE": ("gipe", None, ""),
    "WEAT 6": ("weat", "career-family", ""),
    "WEAT 7": ("weat", "math-arts", ""),
    "WEAT 8": ("weat", "science-arts", ""),
    "SimLex": ("similarity(dataset=simlex-999)", None, ""),
    "MEN": ("similarity(dataset=men)", None, ""),
    "RG-65": ("similarity(dataset=rg-65)", None, ""),
    "Google": ("analogy(dataset=google)", None, ""),
    "MSR": ("analogy(dataset=msr)", None, ""),
}
"""Column: the measure, the test it is measured on, and the detail to show in place of its value."""

_PUBLISHED = ("DB refitted", "MIDB", "Clus v", "Rec LR", "SB def", "SB stereo", "GIPE")
PUBLISHED: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    "word2vec": {
        "": (0.052, 0.023, 0.933, 0.992, 0.830, 0.134, 0.021),
        "hard": (0.000, 0.007, 0.440, 0.887, 0.759, 0.114, 0.014),
        "double-hard": (None, 0.025, 0.271, 0.881, 0.295, 0.373, 0.014),
        "bam": (0.061, 0.038, 0.844, 0.974, 0.814, 0.136, 0.023),
        "oscar": (0.050, 0.024, 0.928, 0.993, 0.830, 0.134, 0.021),
    },
    "GloVe": {
        "": (0.055, -0.032, 0.984, 1.000, 0.802, 0.109, 0.115),
        "hard": (0.000, -0.004, 0.302, 0.927, 0.786, 0.130, 0.070),
        "double-hard": (None, 0.201, 0.258, 0.903, 0.250, 0.123, 0.064),
        "gp": (0.059, 0.068, 0.996, 1.000, 0.843, 0.080, 0.145),
        "bam": (0.068, -0.019, 0.964, 0.999, 0.775, 0.145, 0.137),
        "oscar": (0.056, -0.012, 0.984, 1.000, 0.814, 0.102, 0.117),
        "ran": (0.044, -0.001, 0.419, 0.951, 0.927, 0.011, 0.040),
        "inlp": (None, -0.001, 0.015, 0.660, 0.198, 0.160, 0.080),
    },
}
"""Dawkins (2023), Table B.1: other vectors (300 dimensions) than those measured here."""

PAGE = Path(__file__).resolve().parent.parent / "docs" / "methods-table.md"
RESULTS = Path(__file__).resolve().parent / "results"


def cell(expression: str, vectors: WordVectors) -> dict[str, Any]:
    """All measures of the vectors after one method (none: of the vectors as they are)."""
    gender, policy = us.concept("gender"), WordPolicy(missing="drop")
    begin = time.perf_counter()
    record: dict[str, Any] = {"method": expression, "vectors_sha256": vectors.content_hash}
    after = vectors
    if expression:
        eraser = us.fit(expression, vectors, gender, policy)
        after = us.debiased(vectors, eraser)
        record["seconds to fit and apply"] = round(time.perf_counter() - begin, 2)
        record["movement"] = to_plain(movement(vectors, after))
        record["stages"] = [
            {"expression": stage.expression, "details": stage.to_dict()["details"]}
            for stage in eraser.stages
        ]
    record["values"], known = {}, {}
    for column, (measure, test, detail) in MEASURES.items():
        key = measure, test
        if key not in known:
            subject = gender.test(test) if test else gender
            known[key] = us.measure(measure, after, subject, policy, baseline=vectors)
        found = known[key]
        value = found.details.get(detail) if detail and found.value is not None else found.value
        record["values"][column] = value
        if found.interval and not detail:
            record.setdefault("intervals", {})[column] = [found.interval.low, found.interval.high]
        if found.value is None:
            record.setdefault("undefined", {})[column] = found.why_undefined
    record["seconds"] = round(time.perf_counter() - begin, 1)
    return record


def table(cells: list[dict[str, Any]], published: Mapping[str, tuple[float | None, ...]]) -> str:
    """The cells as a table, published figures in brackets beside ours."""
    lines = [
        f"| method | {' | '.join(MEASURES)} | mean turn |",
        f"|---|{'---:|' * (len(MEASURES) + 1)}",
    ]
    for item in cells:
        theirs = dict(zip(_PUBLISHED, published.get(item["method"], ()), strict=False))
        row = []
        for column in MEASURES:
            shown = _shown(item["values"][column])
            if column in theirs:
                shown += f" ({_shown(theirs[column])})"
            row.append(shown)
        turn = f"{item['movement']['mean_degrees']:.0f}°" if "movement" in item else ""
        name = f"`{item['method']}`".replace("|", "\\|") if item["method"] else "original"
        lines.append(f"| {name} | {' | '.join(row)} | {turn} |")
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "NA" if value is None else f"{value:.3f}".replace("0.", ".", 1).replace("-", "−")


def as_csv(cells: list[dict[str, Any]]) -> str:
    """All numbers, with the ends of the intervals where there are any."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["method", "measure", "value", "low", "high"])
    for item in cells:
        for column, value in item["values"].items():
            ends = item.get("intervals", {}).get(column, ["", ""])
            numbers = [value, *ends]
            shown = [f"{n:.6g}" if isinstance(n, float) else n for n in numbers]
            writer.writerow([item["method"] or "original", column, *shown])
    return stream.getvalue()


def write_tables(name: str, kind: str, work: Path) -> None:
    """Put what is done into the CSV file and, between its marks, into the page."""
    paths = [work / name / f"{_slug(expression)}.json" for expression in METHODS]
    cells = [json.loads(path.read_text()) for path in paths if path.exists()]
    RESULTS.mkdir(exist_ok=True)
    write_text(RESULTS / f"methods-{kind.lower()}.csv", as_csv(cells))
    text = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- begin {kind} -->", f"<!-- end {kind} -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{PAGE} lacks the marks {begin} and {end}.")
    made = table(cells, PUBLISHED[kind])
    [content] = {item["vectors_sha256"] for item in cells}
    source = f"Unslant {us.__version__}; SHA-256 of the words and numbers: `{content}`."
    write_text(PAGE, f"{head}{begin}\n{made}\n\n{source}\n{end}{tail}")
    print(f"{len(cells)} of {len(METHODS)} methods on {name} written to {PAGE.name}")


def _slug(expression: str) -> str:
    return re.sub(r"[^a-z0-9=]+", "-", expression.lower()).strip("-") or "original"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="GloVe text or word2vec binary")
    parser.add_argument("--work", type=Path, required=True, help="where finished cells are kept")
    parser.add_argument("--only", nargs="*", default=METHODS, help="some of the methods")
    parser.add_argument("--tables-only", action="store_true", help="measure nothing")
    options = parser.parse_args()
    for file in options.files:
        kind = "GloVe" if "glove" in file.name.lower() else "word2vec"
        if not options.tables_only:
            vectors = us.load(file)
            folder = options.work / vectors.name
            folder.mkdir(parents=True, exist_ok=True)
            for number, expression in enumerate(options.only, 1):
                path = folder / f"{_slug(expression)}.json"
                if path.exists():
                    continue
                place = f"{number} of {len(options.only)}"
                said = f"{vectors.name}: {place}, {expression or 'original'}"
                print(said, file=sys.stderr, flush=True)
                try:
                    done = cell(expression, vectors)
                except us.UnslantError as error:
                    print(f"  failed: {error}", file=sys.stderr)
                    continue
                write_text(path, json.dumps(done, indent=1) + "\n")
                print(f"  {done['seconds']} s", file=sys.stderr, flush=True)
        write_tables(us.load(file, limit=2).name, kind, options.work)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
