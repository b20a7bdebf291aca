"""The downstream columns of the thesis' Tables 5.5, 5.6 and D.1, ours beside published.

    unslant study run examples/thesis-tree-nli.toml -o DIR
    python -m experiments.thesis_tree_nli DIR

writes every setting to experiments/results/thesis-tree-nli.csv and the tables of
docs/thesis-tree-nli.md, between their marks. Intrinsic values are those of
experiments/results/thesis-tree.csv, for the same encoder with its pretraining heads.
"""

import argparse
import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from scripts.marked_page import between

from experiments.thesis_tree import LEVELS, Setting, published
from experiments.thesis_tree import RESULT as INTRINSIC
from experiments.thesis_tree import _setting as setting_of
from unslant.core.files import write_text
from unslant.studies.run.store import Store

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "thesis-tree-nli.md"
RESULT = HERE / "results" / "thesis-tree-nli.csv"
MEASURES = ("parity", "accuracy", "η", "SNLI accuracy")
PUBLISHED = ("parity", "accuracy", "fairness", "snli_accuracy")
KEPT = 0.941
"""The share of the original's accuracy that a viable setting keeps.

The thesis names no limit. Its best setting at layer 11 has .8370 of .8889, while one with .8356 has
a larger η and was not taken, so its limit lies between 94.0 and 94.2 %."""

Found = Mapping[str, tuple[float, float | None, float | None]]


def main() -> None:
    """Read the study and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    cells: dict[tuple[str, int], dict[str, tuple[float, float | None, float | None]]] = {}
    for item in Store(parser.parse_args().folder).records():
        _, method, measure, _, seed = item.label
        found = item.result["measurement"]
        ends = found.get("interval") or {}
        value = found["value"]
        if measure in ("accuracy", "parity"):
            value, ends = found["details"][measure], {}
        cells.setdefault((str(method), int(seed)), {})[str(measure)] = (
            value,
            ends.get("low"),
            ends.get("high"),
        )
    write_text(RESULT, _csv(cells))
    ours: dict[Setting, Found] = {
        setting_of(method): found
        for (method, seed), found in cells.items()
        if not method.startswith("random")
    }
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (
        ("best", best(ours)),
        ("random", random(cells)),
        ("weights", weights(ours)),
        ("correlations", correlations(ours)),
        ("all", every(ours)),
    ):
        text = between(PAGE, text, mark, made)
    write_text(PAGE, text)


def _csv(cells: Mapping[tuple[str, int], Found]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    ends = ("", " low", " high")
    table.writerow(["method", "seed", *(f"{name}{end}" for name in MEASURES for end in ends)])
    for (method, seed), found in cells.items():
        numbers = [number for name in MEASURES for number in found[name]]
        table.writerow([method, seed, *("" if n is None else f"{n:.6f}" for n in numbers)])
    return out.getvalue()


def _is_viable(found: Found, original: Found) -> bool:
    return found["SNLI accuracy"][0] >= KEPT * original["SNLI accuracy"][0]


def best(ours: Mapping[Setting, Found]) -> str:
    """Table 5.5: for each level the largest η among viable settings."""
    original = ours["original", ""]
    lines = [
        "| level | settings | viable | η | accuracy | parity | SNLI | setting | published η "
        "| published SNLI |",
        "|---|---:|---:|---|---:|---:|---|---|---:|---:|",
    ]
    known = {"original": (0.0375, 0.8889), "sent-debias": (0.0377, 0.8898)}
    known |= dict(
        zip(
            LEVELS,
            [(0.1231, 0.8458), (0.1368, 0.8684), (0.6493, 0.8370), (0.4120, 0.8481)],
            strict=True,
        )
    )
    for level in ("original", "sent-debias", *LEVELS):
        of_level = {name: found for name, found in ours.items() if name[0] == level}
        viable = {n: found for n, found in of_level.items() if _is_viable(found, original)}
        shown = [level, str(len(of_level)), str(len(viable))]
        if viable:
            name = max(viable, key=lambda key: viable[key]["η"][0])
            found = viable[name]
            shown += [
                _interval(found["η"]),
                *(f"{found[part][0]:.3f}" for part in ("accuracy", "parity")),
                _interval(found["SNLI accuracy"]),
                name[1],
            ]
        else:
            shown += [""] * 5
        lines.append(f"| {' | '.join((*shown, *(f'{n:.4f}' for n in known[level])))} |")
    return "\n".join(lines)


def random(cells: Mapping[tuple[str, int], Found]) -> str:
    """Random directions at the same places: the mean and the range over seeds."""
    lines = [f"| directions | {' | '.join(MEASURES)} |", "|---|" + "---|" * len(MEASURES)]
    names = dict.fromkeys(method for method, _ in cells)
    for name in (name for name in names if name == "original" or name.startswith("random")):
        shown = [name]
        for measure in MEASURES:
            values = [found[measure][0] for (method, _), found in cells.items() if method == name]
            span = f" ({min(values):.3f}–{max(values):.3f})" if len(values) > 1 else ""
            shown.append(f"{np.mean(values):.3f}{span}")
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def weights(ours: Mapping[Setting, Found]) -> str:
    """Table 5.6: mean SNLI accuracy without and with weighting at SENT, by level."""
    theirs = published()
    lines = [
        "| level | pairs | n = 0 | n = 1 | increase (sd) | published n = 0 | n = 1 | increase |",
        "|---|---:|---:|---:|---|---:|---:|---:|",
    ]
    every_pair: list[tuple[float, float]] = []
    every_published: list[tuple[float, float]] = []
    for level in (*LEVELS, "all"):
        names = [key for key in ours if key[0] == level and key[1].endswith("0")]
        pairs = [
            (ours[key]["SNLI accuracy"][0], ours[level, f"{key[1][:-1]}1"]["SNLI accuracy"][0])
            for key in names
        ]
        known = [
            (float(theirs[key]["snli_accuracy"]), float(other["snli_accuracy"]))
            for key in names
            if key in theirs and (other := theirs.get((level, f"{key[1][:-1]}1")))
        ]
        every_pair += pairs
        every_published += known
        if level == "all":
            pairs, known = every_pair, every_published
        before, after = np.array(pairs).T
        sd = f" ({np.std(after - before, ddof=1):.4f})" if len(pairs) > 1 else ""
        mine = f"{before.mean():.4f} | {after.mean():.4f} | {(after - before).mean():+.4f}{sd}"
        their = np.array(known)
        shown = [*their.mean(axis=0), (their[:, 1] - their[:, 0]).mean()]
        lines.append(
            f"| {level} | {len(pairs)} | {mine} | {shown[0]:.4f} | {shown[1]:.4f} "
            f"| {shown[2]:+.4f} |"
        )
    return "\n".join(lines)


def correlations(ours: Mapping[Setting, Found]) -> str:
    """Spearman's ρ between intrinsic and downstream values over settings."""
    intrinsic = {
        setting_of(row["method"]): row
        for row in csv.DictReader(INTRINSIC.read_text().splitlines())
        if not row["method"].startswith("random")
    }
    both = [name for name in ours if name in intrinsic]
    theirs = published()
    lines = ["| | η | parity | accuracy | SNLI accuracy |", "|---|---|---|---|---|"]
    for column in ("S, all", "D, all", "SS, all", "LMS, all"):
        mine = [float(intrinsic[name][column]) for name in both]
        shown = [
            _rho(mine, [ours[name][measure][0] for name in both])
            for measure in ("η", "parity", "accuracy", "SNLI accuracy")
        ]
        lines.append(
            f"| {column.removesuffix(', all')}, ours ({len(both)}) | {' | '.join(shown)} |"
        )
    for column, name in (("strength", "S"), ("distance", "D")):
        other = [float(row[column]) for row in theirs.values()]
        shown = [
            _rho(other, [float(row[measure]) for row in theirs.values()])
            for measure in ("fairness", "parity", "accuracy", "snli_accuracy")
        ]
        lines.append(f"| {name}, published ({len(theirs)}) | {' | '.join(shown)} |")
    shared = [name for name in ours if name in theirs]
    shown = [
        _rho(
            [ours[name][mine][0] for name in shared],
            [float(theirs[name][other]) for name in shared],
        )
        for mine, other in zip(
            ("η", "parity", "accuracy", "SNLI accuracy"),
            ("fairness", "parity", "accuracy", "snli_accuracy"),
            strict=True,
        )
    ]
    lines.append(f"| ours with published, same column ({len(shared)}) | {' | '.join(shown)} |")
    return "\n".join(lines)


def every(ours: Mapping[Setting, Found]) -> str:
    """Table D.1: every setting."""
    theirs = published()
    lines = [
        "| level | setting | parity | accuracy | η | SNLI | published parity | accuracy | η "
        "| SNLI |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (level, setting), found in ours.items():
        row = theirs.get((level.replace("original", "base"), setting))
        numbers = [f"{found[name][0]:.4f}" for name in MEASURES]
        known = [row[name] for name in PUBLISHED] if row else [""] * len(PUBLISHED)
        lines.append(f"| {' | '.join((level, setting, *numbers, *known))} |")
    return "\n".join(lines)


def _interval(found: tuple[float, float | None, float | None]) -> str:
    value, low, high = found
    return f"{value:.4f}" + (f" ({low:.3f}–{high:.3f})" if low is not None else "")


def _rho(one: Sequence[float], two: Sequence[float]) -> str:
    found: Any = spearmanr(one, two)
    return f"{found.statistic:.2f} (p = {found.pvalue:.2g})"


if __name__ == "__main__":
    main()
