"""The tables of docs/elmo-nli.md, made of experiments/results/elmo-nli.csv; see elmo_nli.py."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scripts.marked_page import between

from experiments.elmo_nli import RESULT
from unslant.core.files import write_text

PAGE = Path(__file__).resolve().parent.parent / "docs" / "elmo-nli.md"
MEASURES = ("net-neutral", "fraction-neutral", "threshold-0.5", "threshold-0.7")
HEAD = ("NN", "FN", "T:0.5", "T:0.7")

ORIG = {
    "gender": (0.417, 0.391, 0.303, 0.063),
    "nationality": (0.698, 0.776, 0.757, 0.597),
    "religion": (0.635, 0.651, 0.700, 0.524),
}
PUBLISHED = {
    "gen(all)": (0.423, 0.419, 0.363, 0.079),
    "rand(all)": (0.428, 0.412, 0.372, 0.115),
    "gen(1)": (0.488, 0.502, 0.479, 0.364),
    "rand(1)": (0.414, 0.402, 0.309, 0.062),
    "nat(1)": (0.624, 0.745, 0.697, 0.484),
    "rel(1)": (None, None, None, 0.391),
}
STABILITY = {
    "gender": (0.46, 0.32, 0.29, 0.60),
    "nationality": (0.72, 0.61, 0.59, 0.67),
    "religion": (0.63, 0.61, 0.58, 0.41),
}
SECOND = {"output:0": 0.46, "output:1": 0.36, "output:2": 0.47}
ACCURACY = {
    "orig": 0.8903, "gen(all)": 0.8836, "gen(1)": 0.8877, "nat(1)": 0.8901, "rel(1)": 0.8904,
}  # fmt: skip
"""Dev et al. (2020), Tables 1, 3, 5 and 11 to 16; the first numbers of religion are unreadable in
the copy of the paper that we have."""

Row = dict[str, str]


class Results:
    """The rows of the results."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows

    def one(self, setting: str, measure: str, **wanted: str) -> Row:
        """The row of a setting and a measure, the first seed unless another is wanted."""
        wanted = {"setting": setting, "measure": measure, "seed": "0", **wanted}
        [found] = [r for r in self.rows if all(r[key] == value for key, value in wanted.items())]
        return found

    def random(self, prefix: str, measure: str, active: str) -> list[float]:
        """The values of all random directions."""
        return [
            float(row["value"])
            for row in self.rows
            if row["setting"].startswith(f"{prefix} ")
            and (row["measure"], row["active"]) == (measure, active)
        ]

    def seeds(self, measure: str, set_: str) -> list[float]:
        """The values of all trainings without an intervention."""
        return [
            float(row["value"])
            for row in self.rows
            if (row["setting"], row["measure"], row["set"]) == ("orig", measure, set_)
        ]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def several(values: Sequence[float]) -> str:
    """The mean and the range."""
    return f"{np.mean(values):.3f} ({min(values):.3f}–{max(values):.3f})"


def changed(row: Row) -> str:
    """A value with the change from no intervention and its interval."""
    low, high = (float(row[key]) for key in ("change_low", "change_high"))
    return f"{float(row['value']):.3f} ({float(row['change']):+.3f}, {low:+.3f} to {high:+.3f})"


def neutrality(results: Results, name: str, set_: str, random: str = "") -> str:
    """A table as 11, 13 and 14: ours, then published."""
    plain = [results.one("orig", m, set=set_) for m in MEASURES]
    rows = [["no projection", *(number(float(row["value"])) for row in plain)]]
    rows.append(
        ["no projection, three trainings", *(several(results.seeds(m, set_)) for m in MEASURES)]
    )
    for active in ("train and test", "test"):
        found = [results.one(name, m, set=set_, active=active) for m in MEASURES]
        rows.append([f"projected at {active}", *map(changed, found)])
    if random:
        for active in ("train and test", "test"):
            values = [results.random(random, m, active) for m in MEASURES]
            rows.append([f"random at {active}, {len(values[0])}", *map(several, values)])
    rows.append(["*published:* no projection", *map(number, ORIG[set_])])
    rows.append(["*published:* projected", *map(number, PUBLISHED[name])])
    if random:
        rows.append(["*published:* random", *map(number, PUBLISHED[random])])
    return table(("", *HEAD), rows)


def stabilities(results: Results) -> str:
    """Table 12."""
    names, rows = ("2nd", "3rd", "4th", "cosine"), []
    for name, published in STABILITY.items():
        ours = [float(results.one(name, m, seed="")["value"]) for m in names]
        rows.append([name, *(number(v, 2) for v in ours), *(number(v, 2) for v in published)])
    return table(("", *names, *(f"published {name}" for name in names)), rows)


def seconds(results: Results) -> str:
    """The second value of the gendered pairs in each layer's averages."""
    rows = [
        [name, number(float(results.one(name, "2nd", seed="")["value"]), 2), number(published, 2)]
        for name, published in SECOND.items()
    ]
    return table(("layer", "2nd/1st", "published"), rows)


def accuracies(results: Results) -> str:
    """Table 16."""
    ours = [float(results.one(name, "dev")["value"]) for name in ACCURACY]
    dev = [row for row in results.rows if row["measure"] == "dev"]
    every = [float(row["value"]) for row in dev if row["setting"].startswith("rand")]
    plain = [float(row["value"]) for row in dev if row["setting"] == "orig"]
    rows = [
        ["ours", *map(number, ours)],
        ["published", *map(number, ACCURACY.values())],
    ]
    said = (
        f"Ours without projection over three trainings: {several(plain)}; with random directions "
        f"({len(every)} models): {several(every)}."
    )
    return f"{table(('dev accuracy', *ACCURACY), rows)}\n\n{said}"


def best(results: Results) -> str:
    """The row of ELMo in Table 17."""
    ours = [float(results.one("gen(1)", m, active="train and test")["value"]) for m in MEASURES]
    dev = float(results.one("gen(1)", "dev")["value"])
    rows = [
        ["ours", *map(number, ours), number(dev), "–"],
        ["published", *map(number, PUBLISHED["gen(1)"]), number(0.8877), number(0.8804)],
    ]
    return table(("ELMo, gender at layer 1", *HEAD, "dev", "test"), rows)


def main() -> None:
    with RESULT.open(newline="") as stream:
        results = Results(list(csv.DictReader(stream)))
    made = {
        "table-11": neutrality(results, "gen(all)", "gender", "rand(all)"),
        "table-12": stabilities(results),
        "second-values": seconds(results),
        "table-13": neutrality(results, "gen(1)", "gender", "rand(1)"),
        "table-14-nationality": neutrality(results, "nat(1)", "nationality"),
        "table-14-religion": neutrality(results, "rel(1)", "religion"),
        "table-16": accuracies(results),
        "table-17": best(results),
    }
    text = PAGE.read_text()
    for mark, content in made.items():
        text = between(PAGE, text, mark, content)
    write_text(PAGE, text)


if __name__ == "__main__":
    main()
