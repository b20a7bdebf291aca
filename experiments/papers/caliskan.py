"""The ten association tests of Caliskan et al. (2017) on three sets of vectors."""

from experiments.papers.study import Cell, results
from experiments.papers.tables import markdown, number, p_value

RESOURCES = {"GloVe 840B": "840B", "GloVe": "6B", "word2vec": "word2vec"}
ROWS = (
    *((f"WEAT {number_}", "original", "caliskan") for number_ in range(1, 11)),
    ("WEAT 6", "linear", "gender"),
    ("race, 18 names", "original", "race"),
    ("race, 18 names", "linear, unit means", "race"),
)


def tables() -> dict[str, str]:
    """Effect sizes with the words found in the two targets and attributes, and p."""
    ours = results()
    rows = []
    for measure, method, about in ROWS:
        row = [measure, "" if method == "original" else method]
        for resource in RESOURCES:
            row += _cells(ours.get((resource, method, about, measure)))
        rows.append(row)
    head = ["test", "after"]
    for title in RESOURCES.values():
        head += [title, "words", "p"]
    return {"caliskan": markdown(head, rows, left=2)}


def _cells(found: Cell | None) -> list[str]:
    if found is None or found.value is None:
        return ["–", "", ""]
    return [number(found.value), found.words, "" if found.p is None else p_value(found.p)]
