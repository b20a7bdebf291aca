"""Dawkins (2023), chapters 4 and 5: coreference, its spaces, and interventions in BERT."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from experiments.papers import printed, spaces
from experiments.papers.promises import Promise, close
from experiments.papers.study import Cell, Key, results
from experiments.papers.tables import (
    RESULTS,
    Printed,
    beside,
    markdown,
    number,
    p_value,
    published,
    rows_of,
)

DOCUMENT = "Dawkins 2023"
SYSTEMS = {
    "glove": "GloVe",
    "hard": "Hard-GloVe",
    "gn": "GN-GloVe(w_a)",
    "ran": "RAN-GloVe",
    "inlp": "INLP-GloVe",
}
OF_METHOD = {"original": "GloVe", "hard": "Hard-GloVe", "ran": "RAN-GloVe", "inlp": "INLP-GloVe"}
V_MEASURE = {"original": "original", "hard": "HD", "ran": "RAN", "inlp": "INLP"}
TREE = {"base": "original", "sent-debias": "sent-debias"}


def tables() -> dict[str, str]:
    """The tables of docs/papers/dawkins-2023.md."""
    theirs = published("dawkins-2023")
    return {
        "coreference": _coreference(theirs),
        "polarity": _polarity(theirs),
        "association": _association(theirs),
        "spaces": _spaces(theirs, results()),
        "printed": _printed(theirs),
    }


def _scores() -> Mapping[tuple[str, str, str], list[float]]:
    """The values of all trainings by space, documents and score."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for row in rows_of(RESULTS / "coreference.csv"):
        found.setdefault((row["space"], row["documents"], row["score"]), []).append(
            100 * float(row["value"])
        )
    return found


def _systems() -> Iterator[tuple[str, str, str]]:
    """Space, documents, and what the thesis calls them."""
    for space, name in SYSTEMS.items():
        yield space, "", name
        yield space, "swapped", f"{name} + swap"


def _points(values: list[float]) -> str:
    """The mean of the trainings with one decimal."""
    return number(float(np.mean(values)), 1)


def _coreference(theirs: Printed) -> str:
    """Table 4.1: pro, anti and their difference, mean of two trainings."""
    ours = _scores()
    rows = []
    for space, documents, name in _systems():
        row = [name if space != "gn" else f"{name}, novels"]
        for table, sides, apart in (
            ("WinoBias", "winobias-f1-type1-{}", "winobias-f1-difference-type1"),
            ("SoWinoBias", "sowinobias-accuracy-all-{}", "sowinobias-difference-all"),
        ):
            for side in ("pro", "anti"):
                value = ours[space, documents, sides.format(side)]
                row.append(beside(_points(value), theirs["4.1", name, f"{table} {side}"], 1))
            pair = ours[space, documents, apart]
            row.append(" / ".join(number(value, 1) for value in pair))
            row.append(number(theirs["4.1", name, f"{table} diff"], 1))
        rows.append(row)
    kinds = ("WinoBias", "SoWinoBias")
    head = [
        f"{kind} {column}"
        for kind in kinds
        for column in ("pro", "anti", "diff", "diff, published")
    ]
    return markdown(["", *head], rows)


def _polarity(theirs: Printed) -> str:
    """Table C.1."""
    ours = _scores()
    rows = []
    for space, documents, name in _systems():
        row = [name if space != "gn" else f"{name}, novels"]
        for kind in ("positive", "negative"):
            for side in ("pro", "anti"):
                value = ours[space, documents, f"sowinobias-accuracy-{kind}-{side}"]
                row.append(beside(_points(value), theirs["C.1", name, f"{kind} {side}"], 1))
        rows.append(row)
    head = [f"{kind} {side}" for kind in ("positive", "negative") for side in ("pro", "anti")]
    return markdown(["", *head], rows)


def _rows_of_spaces() -> Iterator[tuple[str, str, str]]:
    for resource, title in (("GloVe 840B", "840B"), ("GloVe", "6B")):
        for method in spaces.METHODS:
            yield resource, method, f"{title} {method}"


def _association(theirs: Printed) -> str:
    """Table 4.3."""
    ours = spaces.results()
    rows = []
    for resource, method, title in _rows_of_spaces():
        row = [title]
        for kind in ("occupations", "definitional"):
            found = ours[resource, method, f"S, {kind}"]
            low, high = (number(found[end]) for end in ("low", "high"))
            shown = f"{number(found['value'], 4)} [{low}, {high}]"
            row.append(beside(shown, theirs["4.3", OF_METHOD[method], f"S {kind}"], 4))
            row.append(
                beside(p_value(found["p"]), theirs["4.3", OF_METHOD[method], f"p {kind}"], 4)
            )
        rows.append(row)
    return markdown(["", "S, occupations", "p", "S, definitional", "p"], rows)


def _spaces(theirs: Printed, study: Mapping[Key, Cell]) -> str:
    """Table 4.4."""
    ours = spaces.results()
    columns: Mapping[str, tuple[str, float]] = {
        "accuracy": ("clusters", 0.01),
        "v-measure": ("", 0.01),
        "linear SVM": ("linear SVM", 0.01),
        "RBF SVM": ("RBF SVM", 0.01),
        "GIPE": ("GIPE", 1),
        "GIPE V_So": ("GIPE V_So", 1),
        "mean eta V_So": ("mean η V_So", 1),
    }
    rows = []
    for resource, method, title in _rows_of_spaces():
        row = [title]
        for column, (name, scale) in columns.items():
            if name:
                value = ours[resource, method, name]["value"]
            else:
                value = study[resource, V_MEASURE[method], "gender", "Clus v1500"].value or 0.0
            row.append(
                beside(number(value), (theirs["4.4", OF_METHOD[method], column] or 0.0) * scale)
            )
        rows.append(row)
    return markdown(["", *(name.replace("eta", "η") for name in columns)], rows)


CHECKS: Mapping[str, tuple[Callable[[Printed], Iterator[printed.Pair]], float]] = {
    "avg and diff in 4.1 and 4.2, totals in C.1": (printed.differences, 0.101),
    "η = parity × accuracy in D.1": (lambda _: printed.fairness(), 1e-4),
    "smallest S and D of a level in 5.5, from D.1": (printed.best_of_levels, 5e-5),
    "means in 5.6, from D.1": (printed.weighting, 1e-4),
}


def _printed(theirs: Printed) -> str:
    """Numbers that do not follow from the others that the thesis prints."""
    rows = []
    for name, (check, within) in CHECKS.items():
        pairs = list(check(theirs))
        wrong = printed.unlike(iter(pairs), within)
        rows.append([name, str(len(pairs)), str(len(pairs) - len(wrong)), "", ""])
        rows += [
            [f"– {what}", "", "", number(said, 4), number(made, 4)] for what, made, said in wrong
        ]
    for title, corrected in (("ρ(S, η), 76 settings of D.1", False), ("– with η corrected", True)):
        made, p = printed.strength_and_fairness(corrected)
        said = theirs["5", "76 models", "rho S eta"], theirs["5", "76 models", "p"]
        rows.append(
            [
                title,
                "",
                "",
                f"{number(said[0])}, p {number(said[1], 2)}",
                f"{number(made)}, p {number(p, 2)}",
            ]
        )
    same = theirs["3.1", "GloVe nouns", "E"], theirs["B.1", "GloVe", "E"]
    rows.append(["E of GloVe in 3.1 and in B.1", "", "", number(same[0]), number(same[1])])
    return markdown(["", "numbers", "follow", "printed", "from the others"], rows)


def promises() -> list[Promise]:
    """That the printed tables follow from each other but for what the page lists."""
    theirs = published("dawkins-2023")
    listed = {"4.1, GloVe, WinoBias avg", "D.1, SENT 1", "5.5, + attn, S"}
    wrong = {
        what
        for check, within in CHECKS.values()
        for what, *_ in printed.unlike(check(theirs), within)
    }
    total = sum(len(list(check(theirs))) for check, _ in CHECKS.values())
    found = [
        Promise(
            DOCUMENT,
            "printed numbers follow from each other, except three",
            f"{total} recomputed, {len(wrong)} differ",
            wrong == listed,
        )
    ]
    made, p = printed.strength_and_fairness(corrected=True)
    said = [(abs(made), 0.040), (p, 0.73)]
    found.append(close(DOCUMENT, "size and p of ρ(S, η) from D.1, to .005", said, 0.005))
    before = {
        (row["space"], row["measure"]): float(row["value"])
        for row in rows_of(RESULTS / "coreference-spaces.csv")
    }
    names = {"original": "glove"}
    pairs = [
        (item["value"], before[names.get(method, method), measure])
        for (resource, method, measure), item in spaces.results().items()
        if resource == "GloVe 840B" and (names.get(method, method), measure) in before
    ]
    found.append(
        close(DOCUMENT, "spaces of 4.3 and 4.4 as in coreference-table.md, to 1e-4", pairs, 1e-4)
    )
    return found
