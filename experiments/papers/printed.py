"""What Dawkins' printed tables say of each other: numbers that follow from numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.stats import pearsonr, spearmanr

from experiments.papers.tables import PUBLISHED, Printed, rows_of

INTRINSIC = ("DB", "MIDB", "Clus v1500", "Rec LR", "SB def", "SB stereo", "GIPE", "E")
LEVELS = {
    "SENT": "SENT",
    "Layer 12": "layer 12",
    "Layer 11": "layer 11",
    "+ attn": "layer 11 + attn",
}

Pair = tuple[str, float, float]
"""What it is, recomputed, printed."""


def names_of(theirs: Printed, table: str) -> list[str]:
    """The rows of a printed table in their order."""
    return list(dict.fromkeys(row for of, row, _ in theirs if of == table))


def _value(theirs: Printed, *key: str) -> float:
    found = theirs[key[0], key[1], key[2]]
    return math.nan if found is None else found


def correlations(theirs: Printed) -> Iterator[Pair]:
    """Table B.2 from B.1: Pearson's correlations over the embeddings that have both numbers."""
    rows = names_of(theirs, "B.1")
    columns = {
        name: np.array([_value(theirs, "B.1", row, name) for row in rows]) for name in INTRINSIC
    }
    for table, first, second in theirs:
        if table == "B.2":
            both = ~np.isnan(columns[first]) & ~np.isnan(columns[second])
            found = pearsonr(columns[first][both], columns[second][both]).statistic
            yield f"{first}, {second}", float(found), _value(theirs, table, first, second)


def distances(theirs: Printed) -> Iterator[Pair]:
    """d in Tables 3.1 to 3.3 and E in 3.1 from the printed (n, e, c)."""
    for table in ("3.1", "3.2", "3.3"):
        for row in names_of(theirs, table):
            m, f = (
                np.array([_value(theirs, table, row, f"{side} {label}") for label in "NEC"])
                for side in "MF"
            )
            yield (
                f"{table}, {row}, d",
                float(np.linalg.norm(m - f)),
                _value(theirs, table, row, "d"),
            )
            if table == "3.1":
                error = np.mean([np.linalg.norm(side - (1, 0, 0)) for side in (m, f)])
                yield f"{table}, {row}, E", float(error), _value(theirs, table, row, "E")


def differences(theirs: Printed) -> Iterator[Pair]:
    """avg and diff in Tables 4.1 and 4.2, and diff and total in C.1, from pro and anti."""
    for table, sets in (("4.1", ("WinoBias ", "SoWinoBias ")), ("4.2", ("",))):
        for row in names_of(theirs, table):
            for name in sets:
                pro, anti = (
                    _value(theirs, table, row, f"{name}{side}") for side in ("pro", "anti")
                )
                made = {"avg": (pro + anti) / 2, "diff": abs(pro - anti)}
                for column, value in made.items():
                    printed = _value(theirs, table, row, f"{name}{column}")
                    yield f"{table}, {row}, {name}{column}", value, printed
    for row in names_of(theirs, "C.1"):
        for side in ("pro", "anti"):
            parts = [
                _value(theirs, "C.1", row, f"{kind} {side}") for kind in ("positive", "negative")
            ]
            yield (
                f"C.1, {row}, total {side}",
                sum(parts) / 2,
                _value(theirs, "C.1", row, f"total {side}"),
            )


def settings() -> Sequence[Mapping[str, str]]:
    """Table D.1."""
    return rows_of(PUBLISHED / "thesis-table-d1.csv")


def fairness() -> Iterator[Pair]:
    """η in Table D.1 from parity and accuracy."""
    for row in settings():
        made = float(row["parity"]) * float(row["accuracy"])
        yield f"D.1, {row['level']} {row['settings']}".strip(), made, float(row["fairness"])


def best_of_levels(theirs: Printed) -> Iterator[Pair]:
    """S and D in Table 5.5 as the smallest of their level in D.1."""
    for name, level in LEVELS.items():
        for column, key in (("S", "strength"), ("D", "distance")):
            made = min(float(row[key]) for row in settings() if row["level"] == level)
            yield f"5.5, {name}, {column}", made, _value(theirs, "5.5", name, column)


def weighting(theirs: Printed) -> Iterator[Pair]:
    """SNLI accuracy in Table 5.6 as means of D.1."""
    chosen = [row for row in settings() if row["level"] in LEVELS.values()]
    for name in (*LEVELS, "All"):
        for n in "01":
            values = [
                float(row["snli_accuracy"])
                for row in chosen
                if row["settings"][-1:] == n and name in ("All", _printed_level(row["level"]))
            ]
            yield (
                f"5.6, {name}, n = {n}",
                float(np.mean(values)),
                _value(theirs, "5.6", name, f"n={n}"),
            )


def _printed_level(level: str) -> str:
    return next(name for name, other in LEVELS.items() if other == level)


def strength_and_fairness(corrected: bool) -> tuple[float, float]:
    """Spearman's correlation of S and η over the settings of D.1, and its p.

    ``corrected`` takes η as parity × accuracy where the printed η is something else.
    """
    rows = settings()
    fair = [made if corrected and abs(made - said) > 1e-3 else said for _, made, said in fairness()]
    found = spearmanr([float(row["strength"]) for row in rows], fair)
    return float(found.statistic), float(found.pvalue)


def unlike(pairs: Iterator[Pair], within: float) -> list[Pair]:
    """Those that rounding does not explain."""
    return [pair for pair in pairs if not abs(pair[1] - pair[2]) <= within * 1.001]
