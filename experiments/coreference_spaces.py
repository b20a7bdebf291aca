"""The spaces of the coreference experiment by intrinsic measures: Tables 4.3 and 4.4 of the thesis.

    python -m experiments.coreference_spaces NAME=VECTORS … --work DIR

``glove`` and ``novels`` are originals; every other space is measured against the original it was
made from. Each space is one cell, kept in DIR as soon as it is done. At the end all cells are
written to experiments/results/coreference-spaces.csv and into docs/coreference-table.md.
"""

import argparse
import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scripts.marked_page import between

import unslant as us
from experiments.coreference import HERE, PAGE, TITLES
from unslant.concepts import AssociationTest
from unslant.concepts.wordlists import WordList, wordlist
from unslant.core.files import write_text
from unslant.vectors import WordVectors

RESULT = HERE / "results" / "coreference-spaces.csv"
ORIGINALS = {"gn": "novels", "novels": "novels"}
BASELINE_OF_GN = (
    "† The baseline of this GIPE is GloVe of the same novels. The .439 in "
    "[glove-table.md](glove-table.md) has GN-GloVe itself as the baseline and is marked there."
)
OF = "dawkins-2023"
DROPPED = us.WordPolicy(missing="drop")
MEASURES: Mapping[str, tuple[str, str]] = {
    "S, occupations": ("single-attribute-weat(target=adjectives)", "occupations"),
    "S, definitional": ("single-attribute-weat(target=adjectives)", "definitional"),
    "clusters": ("clustering(n=750)", ""),
    "linear SVM": ("recoverability(classifier=linear-svm)", ""),
    "RBF SVM": ("recoverability(classifier=rbf-svm)", ""),
    "GIPE": ("gipe(threshold=0.03)", ""),
}
PUBLISHED: Mapping[str, str] = {
    "glove": ".0636 .0694; 99.8; 100, 100; .115",
    "hard": ".0465 .0000; 79.0; 92.5, 94.6; .070",
    "ran": ".0402 .0153; 80.4; 95.3, 96.0; .040",
    "inlp": ".0171 .0054; 57.1; 52.9, 74.8; .080",
    "gn": ".0664 −.0015; 85.3; 99.1, 99.4; .117",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("spaces", nargs="*", metavar="NAME=VECTORS")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    paths = dict(each.split("=", 1) for each in given.spaces)
    for name, path in paths.items():
        target = given.work / f"{name}.json"
        if not target.exists():
            original = us.load(paths[ORIGINALS.get(name, "glove")])
            write_text(target, json.dumps(measured(us.load(path), original)))
            print(name, flush=True)
    write_table(given.work)


def tests() -> dict[str, AssociationTest]:
    """The adjectives against stereotyped occupations, and against words of each gender."""
    halves = [wordlist(f"{OF}/{kind}-female-adjectives") for kind in ("positive", "negative")]
    adjectives = _joined("adjectives", *halves)
    found = {}
    for kind in ("occupations", "definitional"):
        sides = {side: wordlist(f"{OF}/{side}-{kind}") for side in ("female", "male")}
        found[kind] = AssociationTest(
            name=kind,
            concept="gender",
            title=f"Female adjectives with {kind} words",
            targets={"adjectives": adjectives},
            attributes=sides,
        )
    return found


def _joined(name: str, *lists: WordList) -> WordList:
    return replace(lists[0], name=name, words=tuple(word for one in lists for word in one.words))


def measured(vectors: WordVectors, original: WordVectors) -> dict[str, Any]:
    """Every measure: value, ends of the interval, p."""
    gender, found = us.concept("gender"), {}
    for column, (expression, test) in MEASURES.items():
        subject = tests()[test] if test else gender
        item = us.measure(expression, vectors, subject, DROPPED, baseline=original)
        found[column] = [
            item.value,
            *((item.interval.low, item.interval.high) if item.interval else (None, None)),
            item.p.value if item.p else None,
        ]
    return found


def write_table(work: Path) -> None:
    cells = {name: work / f"{name}.json" for name in TITLES}
    found = {name: json.loads(path.read_text()) for name, path in cells.items() if path.exists()}
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("space", "measure", "value", "low", "high", "p"))
    for name, columns in found.items():
        for column, values in columns.items():
            table.writerow([name, column, *("" if v is None else f"{v:.6g}" for v in values)])
    write_text(RESULT, out.getvalue())
    head = f"| vectors | {' | '.join(MEASURES)} | published |"
    lines = [head, f"|{'---|' * (len(MEASURES) + 2)}"]
    for name, columns in found.items():
        shown = " | ".join(
            _cell(columns[column]) + ("†" if (name, column) == ("gn", "GIPE") else "")
            for column in MEASURES
        )
        lines.append(f"| {TITLES[name]} | {shown} | {PUBLISHED.get(name, '')} |")
    lines += ["", BASELINE_OF_GN]
    text = between(PAGE, PAGE.read_text(encoding="utf-8"), "spaces", "\n".join(lines))
    write_text(PAGE, text)


def _cell(values: list[float | None]) -> str:
    value, low, high, p = values
    if value is None:
        return "–"
    text = f"{value:.3f}"
    if low is not None and high is not None:
        text += f" ({low:.3f} to {high:.3f})"
    if p is not None:
        text += f", p {p:.2g}"
    return text.replace("-", "−")


if __name__ == "__main__":
    main()
