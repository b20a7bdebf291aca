"""The interventions of the thesis' Tables 5.5 and D.1, ours beside published.

    unslant study run examples/thesis-tree.toml -o DIR
    python -m experiments.thesis_tree DIR

writes every setting to experiments/results/thesis-tree.csv and the tables of docs/thesis-tree.md,
between their marks. The published figures are of BERT base (experiments/published).
"""

import argparse
import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from scripts.marked_page import between

from unslant.core.files import write_text
from unslant.studies.run.store import Store

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "thesis-tree.md"
PUBLISHED = HERE / "published" / "thesis-table-d1.csv"
RESULT = HERE / "results" / "thesis-tree.csv"
LEVELS = ("SENT", "layer 12", "layer 11", "layer 11 + attn")
MEASURES = (
    "S, all",
    "D, all",
    "SS, all",
    "LMS, all",
    "S",
    "S held out",
    "D",
    "D held out",
    "spread",
)

KEPT = 0.95
"""The share of the original's LMS that a viable setting keeps."""

Found = Mapping[str, Any]
Setting = tuple[str, str]
"""The level, and n and c of each place as the thesis writes them: 00110."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    cells: dict[tuple[str, int, str], Found] = {}
    for item in Store(parser.parse_args().folder).records():
        _, method, measure, _, seed = item.label
        cells[str(method), int(seed), str(measure)] = item.result["measurement"]
    methods = list(dict.fromkeys((method, seed) for method, seed, _ in cells))
    rows: list[list[Any]] = [
        [*key, *(cells.get((*key, measure), {}) for measure in MEASURES)] for key in methods
    ]
    write_text(RESULT, _csv(rows))
    ours: dict[Setting, list[Found]] = {_setting(row[0]): row[2:] for row in rows}
    text = between(PAGE, PAGE.read_text(), "best", best(ours))
    text = between(
        PAGE, text, "viable", best(ours, least_lms=KEPT * ours["original", ""][3]["value"])
    )
    text = between(PAGE, text, "random", random(rows))
    text = between(PAGE, text, "weights", weights(ours))
    write_text(PAGE, between(PAGE, text, "agreement", agreement(ours)))


def _setting(method: str) -> Setting:
    """``layer 12 (k=2 n=1; n=0)`` is layer 12, 110: n and c = k − 1 of the layer, n of SENT."""
    level, _, choices = method.partition(" (")
    found = []
    for choice in choices.rstrip(")").split(";"):
        numbers = dict(re.findall(r"(\w)=(\d)", choice))
        found.append(numbers.get("n", "") + (str(int(numbers["k"]) - 1) if "k" in numbers else ""))
    return level, "".join(found)


def published() -> dict[Setting, dict[str, str]]:
    lines = [line for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]
    return {(row["level"], row["settings"]): row for row in csv.DictReader(lines)}


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    ends = ("", " low", " high")
    table.writerow(["method", "seed", *(f"{name}{end}" for name in MEASURES for end in ends)])
    for method, seed, *found in rows:
        numbers = [number for each in found for number in _numbers(each)]
        table.writerow([method, seed, *(_text(number, 6) for number in numbers)])
    return out.getvalue()


def _numbers(found: Found) -> tuple[float | None, ...]:
    interval = found.get("interval") or {}
    return found.get("value"), interval.get("low"), interval.get("high")


def _text(number: float | None, digits: int = 3) -> str:
    return "" if number is None else f"{number:.{digits}f}"


def _with_ends(found: Found) -> str:
    value, low, high = _numbers(found)
    return f"{_text(value)} ({_text(low)}–{_text(high)})" if low is not None else _text(value)


def best(ours: Mapping[Setting, Sequence[Found]], least_lms: float = 0.0) -> str:
    """For each level the best setting on the development half, and what the other half says.

    Settings with a smaller LMS are left out: they no longer know what makes sense.
    """
    theirs = published()
    lines = [
        "| level | settings | LMS | spread | S, chosen | S, held out | published S | D, chosen "
        "| D, held out | published D |",
        "|---|---:|---|---|---|---|---:|---|---|---:|",
    ]
    for level in ("original", "sent-debias", *LEVELS):
        of_level = {
            name: found
            for name, found in ours.items()
            if name[0] == level and found[3]["value"] >= least_lms
        }
        if not of_level:
            lines.append(f"| {level} | 0 {'| ' * 8}|")
            continue
        shown = [level, str(len(of_level))]
        for place, digits in ((3, 1), (8, 2)):
            values = [found[place]["value"] for found in of_level.values()]
            ends = dict.fromkeys(f"{value:.{digits}f}" for value in (min(values), max(values)))
            shown.append("–".join(ends))
        for chosen, held_out, column in ((4, 5, "strength"), (6, 7, "distance")):
            name = min(of_level, key=lambda key: of_level[key][chosen]["value"])
            label = f" {name[1]}" if name[1] else ""
            value = _text(of_level[name][chosen]["value"])
            known = [
                float(row[column])
                for (their_level, _), row in theirs.items()
                if their_level == level.replace("original", "base")
            ]
            shown += [f"{value}{label}", _with_ends(of_level[name][held_out]), _text(min(known))]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def random(rows: Sequence[Sequence[Any]]) -> str:
    """Random directions at the same places: the mean and the range over seeds, all items."""
    lines = ["| directions | S | D | LMS |", "|---|---|---|---|"]
    names = dict.fromkeys(row[0] for row in rows)
    for name in (name for name in names if name == "original" or name.startswith("random")):
        shown = [name]
        for place in (2, 3, 5):
            values = [row[place]["value"] for row in rows if row[0] == name]
            span = f" ({min(values):.3f}–{max(values):.3f})" if len(values) > 1 else ""
            shown.append(f"{np.mean(values):.3f}{span}")
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def weights(ours: Mapping[Setting, Sequence[Found]]) -> str:
    """What weighting at SENT changes, all else being equal, by level: mean and range of pairs."""
    lines = [
        "| level | pairs | change of S | change of D | change of LMS |",
        "|---|---:|---|---|---|",
    ]
    for level in LEVELS:
        pairs = [
            (found, ours[level, f"{setting[:-1]}1"])
            for (its, setting), found in ours.items()
            if its == level and setting.endswith("0")
        ]
        shown = [level, str(len(pairs))]
        for place in (0, 1, 3):
            changes = [after[place]["value"] - before[place]["value"] for before, after in pairs]
            shown.append(f"{np.mean(changes):+.3f} ({min(changes):+.3f} to {max(changes):+.3f})")
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def agreement(ours: Mapping[Setting, Sequence[Found]]) -> str:
    """Do the settings have the order of the thesis? Spearman's ρ over the 74 of them."""
    theirs = published()
    both = [name for name in ours if name in theirs and name[0] in LEVELS]
    lines = [
        "| | ρ with published, 74 settings | within layer 11 | within layer 11 + attn |",
        "|---|---|---|---|",
    ]
    for place, column in ((0, "strength"), (1, "distance")):
        shown = [{"strength": "S", "distance": "D"}[column]]
        for level in ("", "layer 11", "layer 11 + attn"):
            names = [name for name in both if not level or name[0] == level]
            mine = [ours[name][place]["value"] for name in names]
            other = [float(theirs[name][column]) for name in names]
            rho, p = spearmanr(mine, other)
            shown.append(f"{rho:.2f} (p = {p:.2g})")
        lines.append(f"| {' | '.join(shown)} |")
    own = [*both, ("original", "")]
    spread = [ours[name][8]["value"] for name in own]
    for place, name in ((0, "S"), (1, "D")):
        rho, _ = spearmanr([ours[key][place]["value"] for key in own], spread)
        lines.append(f"| {name} with the spread of log-odds, ours | {rho:.2f} | | |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
