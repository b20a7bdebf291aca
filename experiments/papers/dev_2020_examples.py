"""Dev et al. (2020), the examples: the driver of the introduction, and Tables 2, 4 and 6."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from experiments.papers.seeds import mean_and_spread
from experiments.papers.tables import RESULTS, markdown, number, published, rows_of

RESULT = RESULTS / "dev-examples.csv"

Answers = Mapping[tuple[str, str, str, str], Sequence[tuple[float, float, float]]]


def answers() -> Answers:
    """(e, n, c) of every training by concept, method, table and words."""
    found: dict[tuple[str, str, str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for row in rows_of(RESULT):
        key = row["concept"], row["method"], row["table"], row["words"]
        found[key].append((float(row["e"]), float(row["n"]), float(row["c"])))
    return found


def tables() -> dict[str, str]:
    """The tables of examples in docs/papers/dev-2020.md."""
    ours = answers()
    return {
        "driver": _driver(ours),
        **{f"table-{table}": _printed(ours, table) for table in ("2", "4", "6")},
        "extremes": _extremes(ours),
    }


def _driver(ours: Answers) -> str:
    theirs = published("dev-2020")
    rows = []
    for who in ("man", "woman"):
        words = f"driver, {who}"
        printed = [number(theirs["text", words, column]) for column in "enc"]
        rows.append([f"driver → {who}, published", *printed])
        for method, title in (("original", "ours"), ("linear", "ours, he − she projected")):
            found = ours.get(("gender", method, "text", words), ())
            rows.append([f"driver → {who}, {title}", *_by_label(found)])
    rude = ("text", "rude, iraqi")
    for about, method, title, column in (
        ("gender", "original", "before", "e before"),
        ("nationality", "linear", "nationality projected", "e after"),
    ):
        rows.append([f"rude → Iraqi, {title}, published", number(theirs[*rude, column]), "", ""])
        found = ours.get((about, method, *rude), ())
        rows.append([f"rude → Iraqi, {title}, ours", *_by_label(found)])
    return markdown(["", "e", "n", "c"], rows)


def _by_label(found: Sequence[tuple[float, float, float]]) -> list[str]:
    if not found:
        return ["–"] * 3
    return [mean_and_spread([answer[place] for answer in found]) for place in range(3)]


def _printed(ours: Answers, table: str) -> str:
    """The printed pairs with the printed answers and those of our models."""
    theirs = published("dev-2020")
    rows = []
    for of, words, column in theirs:
        if of != table or column != "e":
            continue
        found = ours.get(("gender", "original", table, words), ())
        e, _, c = _by_label(found)
        pair = [number(theirs[table, words, label], 2) for label in "ec"]
        rows.append([words, *pair, e, c])
    head = ["words", "ent., published", "cont., published", "ent., ours", "cont., ours"]
    return markdown(head, rows)


def _extremes(ours: Answers) -> str:
    """The pairs that the first training on the original vectors finds most certain."""
    rows = [
        [table.removesuffix(", ours"), words, *(number(value, 2) for value in found[0])]
        for (_, _, table, words), found in ours.items()
        if table.endswith(", ours")
    ]
    return markdown(["Table", "words", "e", "n", "c"], rows, left=2)
