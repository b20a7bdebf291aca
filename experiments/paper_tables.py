"""The tables of docs/paper-tables.md, ours beside published, from the study of the papers' tables.

    unslant study run examples/paper-tables.toml -o DIR
    python -m experiments.paper_tables DIR

Cells that are not done are empty, unless ``--standing`` names a table (experiments/results/
paper-tables.csv) that has them from an earlier run; what the study has is then written there.
The published figures stand as they were printed.
"""

import argparse
import csv
import io
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

from experiments.marked_page import between
from unslant.core.files import write_text
from unslant.numerics.correlation import Correlation, correlation
from unslant.studies.run.store import Store

PAGE = Path(__file__).resolve().parent.parent / "docs" / "paper-tables.md"

Key = tuple[str, str, str, str]
Records = Mapping[Key, Mapping[str, Any]]

# Dawkins (2023), Tables B.1 and B.2; GloVe and word2vec with 300 dimensions, all of SNLI.
INTRINSIC = ("DB", "MIDB", "Clus v1500", "Rec LR", "SB def", "SB stereo", "GIPE", "E")
DAWKINS: Mapping[tuple[str, str], tuple[float | None, ...]] = {
    ("word2vec", "original"): (0.052, 0.023, 0.933, 0.992, 0.830, 0.134, 0.021, 0.206),
    ("word2vec", "HD"): (0.000, 0.007, 0.440, 0.887, 0.759, 0.114, 0.014, 0.163),
    ("word2vec", "DHD"): (None, 0.025, 0.271, 0.881, 0.295, 0.373, 0.014, 0.164),
    ("word2vec", "BAM"): (0.061, 0.038, 0.844, 0.974, 0.814, 0.136, 0.023, 0.131),
    ("word2vec", "OSCaR"): (0.050, 0.024, 0.928, 0.993, 0.830, 0.134, 0.021, 0.188),
    ("GloVe", "original"): (0.055, -0.032, 0.984, 1.000, 0.802, 0.109, 0.115, 0.198),
    ("GloVe", "HD"): (0.000, -0.004, 0.302, 0.927, 0.786, 0.130, 0.070, 0.155),
    ("GloVe", "DHD"): (None, 0.201, 0.258, 0.903, 0.250, 0.123, 0.064, 0.247),
    ("GloVe", "GP"): (0.059, 0.068, 0.996, 1.000, 0.843, 0.080, 0.145, 0.336),
    ("GloVe", "BAM"): (0.068, -0.019, 0.964, 0.999, 0.775, 0.145, 0.137, 0.175),
    ("GloVe", "OSCaR"): (0.056, -0.012, 0.984, 1.000, 0.814, 0.102, 0.117, 0.154),
    ("GloVe", "RAN"): (0.044, -0.001, 0.419, 0.951, 0.927, 0.011, 0.040, 0.193),
    ("GloVe", "INLP"): (None, -0.001, 0.015, 0.660, 0.198, 0.160, 0.080, 0.167),
    ("GloVe", "MISP"): (),
}

# Pearson's correlation with E over her 16 embeddings.
WITH_E = {
    "MIDB": 0.667,
    "GIPE": 0.432,
    "Rec LR": 0.223,
    "Clus v1500": 0.184,
    "DB": 0.104,
    "SB def": 0.091,
    "SB stereo": -0.270,
}

# Dawkins (2023), Table 3.4.
QUALITY = ("Sem", "Syn", "Google", "MSR", "RG", "MTurk", "MEN", "SL999")
QUALITY_PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "original": (0.8048, 0.6276, 0.7080, 0.5149, 0.7529, 0.6427, 0.7219, 0.3486),
    "MISP": (0.8049, 0.6281, 0.7084, 0.5151, 0.7606, 0.6432, 0.7241, 0.3504),
}

# Caliskan et al. (2017) as quoted by Cheung and Ip, and Cheung and Ip; all on GloVe 840B.
ASSOCIATION: Sequence[tuple[str, str, str, str]] = (
    *((f"WEAT {number}", "original", "caliskan", "") for number in range(1, 6)),
    ("WEAT 6", "original", "caliskan", "1.81; 1.873"),
    *((f"WEAT {number}", "original", "caliskan", "") for number in range(7, 11)),
    ("WEAT 6", "linear", "gender", "1.372"),
    ("race, 18 names", "original", "race", "1.50; 1.578"),
    ("race, 18 names", "linear, unit means", "race", ".083"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--standing", type=Path, help="values for cells that are not done")
    given = parser.parse_args()
    store = Store(given.folder)
    records: dict[Key, Mapping[str, Any]] = {
        (str(item.label[0]), str(item.label[1]), str(item.label[2]), str(item.label[3])): (
            item.result["measurement"]
        )
        for item in store.records()
    }
    if given.standing:
        write_text(given.standing, renewed(given.standing, records))
        records = {**standing(given.standing), **records}
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (
        ("intrinsic", intrinsic(records)),
        ("correlations", correlations(records)),
        ("quality", quality(records)),
        ("association", association(records)),
    ):
        text = between(PAGE, text, mark, made)
    write_text(PAGE, text)


def standing(path: Path) -> dict[Key, Mapping[str, Any]]:
    """The values of a table that an earlier run left, without p-values and words."""
    found: dict[Key, Mapping[str, Any]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            for column, text in row.items():
                measure, _, concept = column.removesuffix(")").rpartition(" (")
                with suppress(ValueError):  # empty, failed, or no measure
                    value = {"value": float(text), "words": [], "p": None}
                    found[row["resource"], row["method"], measure, concept] = value
    return found


def renewed(path: Path, records: Records) -> str:
    """The standing table with the values that the study has."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        rows, columns = list(reader), list(reader.fieldnames or ())
    for (resource, method, measure, concept), found in records.items():
        for row in rows:
            if (row["resource"], row["method"]) == (resource, method):
                value = found["value"]
                row[f"{measure} ({concept})"] = "NA" if value is None else repr(value)
    made = io.StringIO()
    writer = csv.DictWriter(made, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def intrinsic(records: Records) -> str:
    rows = []
    for (resource, method), published in DAWKINS.items():
        theirs = dict(zip(INTRINSIC, published, strict=False))
        shown = [
            _value(records.get((resource, method, measure, "gender")))
            + (f" ({_n(theirs[measure])})" if measure in theirs else "")
            for measure in INTRINSIC
        ]
        rows.append([f"{resource} {method}", *shown])
    rows += [
        [f"ρ, {resource}", *(_same_order(records, resource, at) for at in range(len(INTRINSIC)))]
        for resource in ("word2vec", "GloVe")
    ]
    return _table(["", *INTRINSIC], rows)


def _same_order(records: Records, resource: str, column: int) -> str:
    """Spearman's correlation between our figures and the published ones, over the methods."""
    ours, theirs = [], []
    for (where, method), published in DAWKINS.items():
        found = records.get((resource, method, INTRINSIC[column], "gender"))
        if not found or found["value"] is None:
            continue
        if where == resource and published and published[column] is not None:
            ours.append(found["value"])
            theirs.append(published[column])
    return f"{_n(spearmanr(ours, theirs).statistic, 2)} ({len(ours)})"


def correlations(records: Records) -> str:
    """Pearson's correlation of each measure with E, over all rows and over those of GloVe."""
    rows = {
        "all": list(DAWKINS),
        "GloVe": [row for row in DAWKINS if row[0] == "GloVe"],
    }

    def column(measure: str, chosen: Sequence[tuple[str, str]]) -> list[float]:
        cells = (records.get((*row, measure, "gender")) for row in chosen)
        return [math.nan if c is None or c["value"] is None else float(c["value"]) for c in cells]

    shown = [
        [
            measure,
            _n(published),
            *(_pearson(correlation(column(measure, c), column("E", c))) for c in rows.values()),
        ]
        for measure, published in WITH_E.items()
    ]
    return _table(["with E", "published (16)", *(f"ours, {name}" for name in rows)], shown)


def _pearson(found: Correlation) -> str:
    if found.low is None or found.high is None:
        return f"{_n(found.value, 2)} ({found.n} rows)"
    return f"{_n(found.value, 2)} [{_n(found.low, 2)}, {_n(found.high, 2)}] ({found.n})"


def quality(records: Records) -> str:
    methods = ("original", "HD", "DHD", "GP", "BAM", "OSCaR", "RAN", "INLP", "MISP")
    rows = []
    for method in methods:
        theirs = dict(zip(QUALITY, QUALITY_PUBLISHED.get(method, ()), strict=False))
        shown = [
            _value(records.get(("GloVe", method, measure, "gender")))
            + (f" ({_n(theirs[measure])})" if measure in theirs else "")
            for measure in QUALITY
        ]
        rows.append([method, *shown])
    return _table(["GloVe", *QUALITY], rows)


def association(records: Records) -> str:
    rows = []
    for measure, method, concept, published in ASSOCIATION:
        row = [measure, "" if method == "original" else method, published]
        for resource in ("GloVe", "word2vec"):
            found = records.get((resource, method, measure, concept))
            row += [_value(found), _words(found), _p(found)]
        rows.append(row)
    head = ["test", "after", "840B, published"]
    for name in ("6B", "word2vec"):
        head += [f"{name}, ours", "words", "p"]
    return _table(head, rows)


def _words(found: Mapping[str, Any] | None) -> str:
    """How many words of the two targets and the two attributes took part."""
    return "+".join(str(len(use["used"])) for use in found["words"][:4]) if found else ""


def _p(found: Mapping[str, Any] | None) -> str:
    if not found or not found["p"]:
        return ""
    p = float(found["p"]["value"])
    return f"{p:.1e}" if p < 0.001 else _n(p)


def _value(found: Mapping[str, Any] | None) -> str:
    return _n(found["value"]) if found else ""


def _n(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "NA"
    text = f"{value:.{digits}f}".replace("-0.", "−.").replace("-", "−")
    text = text.removeprefix("0") if text.startswith("0.") else text
    return ".000" if text == "−.000" else text


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


if __name__ == "__main__":
    main()
