"""The tables of docs/nli.md, ours beside published, from what experiments/nli.py has measured.

    python -m experiments.nli_tables DIR

Writes every figure to experiments/results/nli.csv and the tables between their marks in the page.
Rows that DIR lacks stay in both as they are, so that single rows can be made anew.
"""

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scripts.marked_page import between, inside, with_standing_rows

from experiments.nli import METHODS, RANDOM, ROWS, Bench, Row
from unslant.core.files import write_text

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "nli.md"
RESULTS = ROOT / "experiments" / "results" / "nli.csv"

NEUTRALITY = {
    "NN": "nli-net-neutral",
    "FN": "nli-fraction-neutral",
    "T:0.5": "nli-threshold-0.5",
    "T:0.7": "nli-threshold-0.7",
}

# Dev et al. (2020): GloVe 840B 300d, decomposable attention with a BiLSTM, all of SNLI.
DEV: Mapping[str, tuple[float, ...]] = {
    "gender": (0.387, 0.394, 0.324, 0.114),
    "gender projected": (0.480, 0.519, 0.474, 0.297),
    "gender random": (0.362, 0.405, 0.323, 0.118),
    "nationality": (0.713, 0.760, 0.776, 0.654),
    "nationality projected": (0.808, 0.887, 0.910, 0.784),
    "religion": (0.710, 0.765, 0.785, 0.636),
    "religion projected": (0.794, 0.894, 0.913, 0.771),
}
DEV_ACCURACY = {
    "original": 0.8781,
    "linear": 0.8814,
    "nationality: linear": 0.8776,
    "religion: linear": 0.8795,
}

# Dawkins (2021; 2023, Tables 3.1 to 3.3): GloVe 300d trained on Wikipedia, all of SNLI.
# d and E of nouns, d and E of pronouns; d and significance of occupations, and of names.
DAWKINS: Mapping[str, tuple[float, ...]] = {
    "original": (0.225, 0.182, 0.797, 0.865, 0.216, 0.0001, 0.415, 0.0),
    "hard": (0.128, 0.155, 0.328, 0.813, 0.159, 0.0408, 0.124, 0.0140),
    "double-hard": (0.315, 0.247, 0.006, 1.173, 0.180, 0.0038, 0.134, 0.0192),
    "gp": (0.385, 0.336, 0.585, 0.758, 0.229, 0.0010, 0.288, 0.0),
    "bam": (0.184, 0.175, 0.731, 0.800, 0.141, 0.0060, 0.251, 0.0),
    "oscar": (0.168, 0.154, 0.987, 0.697, 0.195, 0.0036, 0.163, 0.0001),
    "ran": (0.136, 0.193, 0.597, 0.828, 0.112, 0.0477, 0.236, 0.0),
    "inlp": (0.128, 0.167, 0.005, 1.244, 0.050, 0.6595, 0.054, 0.4049),
}

Figures = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("work", type=Path)
    bench = Bench(Path(), Path(), parser.parse_args().work)
    done = {
        row: json.loads(bench.figures(row).read_text())
        for row in ROWS
        if bench.figures(row).exists()
    }
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (
        ("neutrality", neutrality(done)),
        ("examples", examples(done)),
        ("projection", projection(done)),
        ("others", others(done)),
        ("accuracy", accuracy(done)),
        ("marked", marked(done)),
        ("carriers", carriers(done)),
        ("methods", methods(done)),
        ("retention", retention(done)),
    ):
        standing = inside(PAGE, text, mark)
        if mark not in ("neutrality", "examples"):
            made = with_standing_rows(made, standing, _first_cell)
        elif Row() not in done:  # these two are of the original alone
            made = standing
        text = between(PAGE, text, mark, made)
    write_text(PAGE, text)
    figures = as_csv(done)
    earlier = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else figures
    write_text(RESULTS, with_standing_rows(figures, earlier, _first_field) + "\n")
    print(f"{len(done)} of {len(ROWS)} rows written to {PAGE.name} and {RESULTS.name}")


def _first_cell(line: str) -> str:
    return line.partition(" | ")[0]


def _first_field(line: str) -> str:
    return next(csv.reader([line]))[0]


def neutrality(done: Mapping[Row, Figures]) -> str:
    """Dev's Table 1."""
    rows = [("published", *map(_n, DEV["gender"]))]
    rows += [("ours", *map(_n, each)) for each in _all_values(done, [Row()], "gender-occupation")]
    return _table(("", *NEUTRALITY), rows)


def examples(done: Mapping[Row, Figures]) -> str:
    """Dev's Table 2."""
    rows = [
        (
            item["premise_word"],
            *item["context"],
            item["hypothesis_word"],
            _n(item["entailment"], 2),
            _n(item["contradiction"], 2),
        )
        for row in _here(done, [Row()])
        for item in done[row]["retrained"]["gender-occupation"]["examples"]
    ]
    return _table(("occupation", "verb", "object", "gendered", "ent.", "cont."), rows)


def projection(done: Mapping[Row, Figures]) -> str:
    """Dev's Table 8."""
    asked = "gender-occupation"
    base = _all_values(done, [Row()], asked)
    mine = _all_values(done, [Row("linear")], asked)
    random = np.array(_all_values(done, _controls(done), asked))
    again = np.array(_all_values(done, [Row(), *_seeds(done)], asked))
    rows = [("he–she, published", *_with_change(DEV["gender projected"], DEV["gender"]))]
    if base and mine:
        rows.append(("he–she, ours", *_with_change(mine[0], base[0])))
    rows.append(("random, published (8)", *_with_change(DEV["gender random"], DEV["gender"])))
    if base and len(random):
        change = _with_change(random.mean(axis=0), base[0])
        rows.append((f"random, ours ({len(random)})", *change))
    for what, values in (
        ("random, ours", random),
        (f"nothing removed, {len(again)} training seeds", again),
    ):
        if len(values) > 1:
            rows.append((f"{what}: standard deviation", *map(_n, values.std(axis=0, ddof=1))))
    return _table(("", *NEUTRALITY), rows)


def others(done: Mapping[Row, Figures]) -> str:
    """Dev's Tables 3, 5 and 9."""
    rows = []
    for concept in ("nationality", "religion"):
        base = _all_values(done, [Row()], concept)
        mine = _all_values(done, [Row("linear", concept)], concept)
        rows.append((f"{concept}, published", *map(_n, DEV[concept])))
        rows += [(f"{concept}, ours", *map(_n, each)) for each in base]
        published = _with_change(DEV[f"{concept} projected"], DEV[concept])
        rows.append((f"{concept} projected, published", *published))
        if base and mine:
            rows.append((f"{concept} projected, ours", *_with_change(mine[0], base[0])))
    return _table(("", *NEUTRALITY), rows)


def accuracy(done: Mapping[Row, Figures]) -> str:
    """Dev's Table 10."""
    rows = [
        (
            _name(row),
            _n(figures["training"]["dev_accuracy"], 4),
            _n(DEV_ACCURACY[row.name], 4) if row.name in DEV_ACCURACY else "",
        )
        for row, figures in done.items()
    ]
    return _table(("trained on", "dev, ours", "dev, published"), rows)


def marked(done: Mapping[Row, Figures]) -> str:
    """Dawkins' Table 3.1."""
    rows = []
    for row in _on_gender(done):
        found = done[row]["retrained"]["marked-attribute"]
        details = found["marked-distance-nouns"]["details"]
        theirs = DAWKINS.get(row.name, ())
        rows.append(
            (
                _name(row),
                *(_triple(details, group) for group in ("male", "female")),
                _beside(found["marked-distance-nouns"], theirs[0:1]),
                _beside(found["marked-error-nouns"], theirs[1:2]),
                _beside(found["marked-distance-pronouns"], theirs[2:3]),
                _beside(found["marked-error-pronouns"], theirs[3:4]),
            )
        )
    head = ("method", "M (n, e, c)", "F (n, e, c)", "d", "E", "he/she d", "he/she E")
    return _table(head, [*rows, *_control_row(done, "marked-attribute", _MARKED, 3)])


def carriers(done: Mapping[Row, Figures]) -> str:
    """Dawkins' Tables 3.2 and 3.3."""
    rows = []
    for row in _on_gender(done):
        cells = []
        for place, name in ((4, "occupations"), (6, "names")):
            found = done[row]["retrained"][name]["marked-distance"]
            theirs = DAWKINS.get(row.name, ())
            cells += [
                *(_triple(found["details"], group) for group in ("male", "female")),
                _beside(found, theirs[place : place + 1]),
                _p(found["p"], theirs[place + 1 : place + 2]),
            ]
        rows.append((_name(row), *cells))
    head = [
        f"{name} {what}"
        for name in ("occupations", "names")
        for what in ("M (n, e, c)", "F (n, e, c)", "d", "p")
    ]
    return _table(("method", *head), rows)


def methods(done: Mapping[Row, Figures]) -> str:
    """Every method by what matters most, with the change that is sure and that random makes."""
    sets = {
        "gender-occupation": ("nli-net-neutral", "nli-fraction-neutral", "nli-fairness"),
        "marked-attribute": ("marked-error", "marked-distance"),
        "occupations": ("marked-distance",),
        "names": ("marked-distance",),
    }
    head = ("method", "NN", "FN", "η", "E explicit", "d explicit", "d occupations", "d names")
    rows = []
    for row in (*_on_gender(done), *_seeds(done), *_controls(done)):
        cells = []
        for name, measures in sets.items():
            for measure in measures:
                found = done[row]["retrained"][name]
                cells.append(_sure(found[measure], found.get(f"{measure}-change")))
        rows.append((_name(row), *cells))
    return _table(head, rows)


def retention(done: Mapping[Row, Figures]) -> str:
    """SIRT: whether gender is still understood where it should be."""
    measures = [
        f"retention-{what}-{how}"
        for what in ("entail", "contradict")
        for how in ("net", "fraction", "threshold-0.5", "threshold-0.7")
    ]
    head = [
        f"{what} {how}"
        for what in ("entailed", "contradicted")
        for how in ("net", "fraction", "T:0.5", "T:0.7")
    ]
    rows = [
        (_name(row), *(_n(done[row]["retrained"]["sirt"][name]["value"]) for name in measures))
        for row in (*_on_gender(done), *_controls(done)[:1])
    ]
    return _table(("method", *head), rows)


def as_csv(done: Mapping[Row, Figures]) -> str:
    """Every figure with its interval, retrained and with the embedding swapped."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["row", "model", "set", "measure", "value", "low", "high", "p"])
    for row, figures in done.items():
        for model in ("retrained", "swapped"):
            for name, found in figures[model].items():
                for measure, item in found.items():
                    if measure == "examples" or "value" not in item:
                        continue
                    ends = item.get("interval") or {}
                    numbers = (item["value"], ends.get("low"), ends.get("high"))
                    p = (item.get("p") or {}).get("value")
                    writer.writerow(
                        [row.name, model, name, measure]
                        + ["" if n is None else f"{n:.5g}" for n in (*numbers, p)]
                    )
        accuracy = f"{figures['training']['dev_accuracy']:.5g}"
        writer.writerow([row.name, "retrained", "snli dev", "accuracy", accuracy, "", "", ""])
    return stream.getvalue()


_MARKED = (
    "marked-distance-nouns",
    "marked-error-nouns",
    "marked-distance-pronouns",
    "marked-error-pronouns",
)


def _here(done: Mapping[Row, Figures], rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row in done]


def _on_gender(done: Mapping[Row, Figures]) -> list[Row]:
    return _here(done, [Row(), *map(Row, METHODS)])


def _controls(done: Mapping[Row, Figures]) -> list[Row]:
    return _here(done, [*map(Row, RANDOM)])


def _seeds(done: Mapping[Row, Figures]) -> list[Row]:
    return [row for row in done if row.seed]


def _control_row(
    done: Mapping[Row, Figures], name: str, measures: Sequence[str], columns: int
) -> list[tuple[str, ...]]:
    """The mean and the standard deviation over the random directions, where there are some."""
    controls = _controls(done)
    if len(controls) < 2:
        return []
    values = np.array(
        [
            [done[row]["retrained"][name][measure]["value"] for measure in measures]
            for row in controls
        ]
    )
    cells = [
        f"{_n(mean)} ± {_n(spread)}"
        for mean, spread in zip(values.mean(axis=0), values.std(axis=0, ddof=1), strict=True)
    ]
    blanks = [""] * (columns - 1)
    return [(f"random directions ({len(controls)})", *blanks, *cells)]


def _all_values(
    done: Mapping[Row, Figures], rows: Sequence[Row], name: str
) -> list[tuple[float, ...]]:
    """The measures of neutrality of those of the rows that are done."""
    return [
        tuple(done[row]["retrained"][name][measure]["value"] for measure in NEUTRALITY.values())
        for row in _here(done, rows)
    ]


def _with_change(values: Sequence[float], base: Sequence[float]) -> list[str]:
    return [
        f"{_n(new)} ({100 * (new - old) / old:+.1f} %)".replace("-", "−")
        for new, old in zip(values, base, strict=True)
    ]


def _triple(details: Mapping[str, float], group: str) -> str:
    return ", ".join(_n(details[f"{symbol}-of-{group}"]) for symbol in "nec")


def _beside(item: Mapping[str, Any], published: Sequence[float]) -> str:
    """Our value with its interval, and the published one in brackets."""
    ends = item.get("interval")
    interval = f" [{_n(ends['low'], 2)}, {_n(ends['high'], 2)}]" if ends else ""
    theirs = f" ({_n(published[0])})" if published else ""
    return f"{_n(item['value'])}{interval}{theirs}"


def _p(p: Mapping[str, float], published: Sequence[float]) -> str:
    theirs = f" ({_n(published[0], 4)})" if published else ""
    return f"{_n(p['value'], 4)}{theirs}"


def _sure(item: Mapping[str, Any], change: Mapping[str, Any] | None) -> str:
    """The value, starred where the interval of its change against the original excludes 0."""
    ends = (change or {}).get("interval")
    is_sure = ends is not None and (ends["low"] > 0 or ends["high"] < 0)
    return _n(item["value"]) + ("*" if is_sure else "")


def _n(value: float, digits: int = 3) -> str:
    shown = f"{value:.{digits}f}"
    return (shown[1:] if shown.startswith("0.") else shown.replace("-0.", "-.")).replace("-", "−")


def _name(row: Row) -> str:
    if not row.method:
        return row.name
    code = "`" + row.method.replace("|", "\\|") + "`"
    return code if row.concept == "gender" else f"{row.concept}: {code}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    main()
