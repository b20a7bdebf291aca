"""Dawkins (2021) and chapter 3 of the thesis: marked attributes, intrinsic measures, quality."""

import math
from collections.abc import Mapping, Sequence

from scipy.stats import spearmanr

from experiments.glove import OWN_BASELINE, marked
from experiments.papers import printed
from experiments.papers.promises import Promise, close
from experiments.papers.study import Cell, Key, results
from experiments.papers.tables import (
    RESULTS,
    Printed,
    beside,
    markdown,
    number,
    published,
    rows_of,
)
from unslant.numerics.correlation import Correlation, correlation

DOCUMENT = "Dawkins 2021"
METHODS = ("original", "HD", "DHD", "GP", "BAM", "OSCaR", "RAN", "INLP", "MISP")
ON_WORD2VEC = ("original", "HD", "DHD", "BAM", "OSCaR")
RESOURCES = {"word2vec": ON_WORD2VEC, "GloVe": METHODS, "GloVe 840B": METHODS}
TITLES = {"word2vec": "word2vec", "GloVe": "6B", "GloVe 840B": "840B"}
QUALITY = ("Sem", "Syn", "Google", "MSR", "RG", "MTurk", "MEN", "SL999")
EXPRESSIONS = {
    "original": "original",
    "HD": "hard",
    "DHD": "double-hard",
    "GP": "gp",
    "BAM": "bam",
    "OSCaR": "oscar",
    "RAN": "ran",
    "INLP": "inlp",
    "MISP": "misp",
}
ELSEWHERE = {"DB": "DB refitted", "Clus v1500": "Clus v", "RG": "RG-65", "SL999": "SimLex"}
"""What methods-table.md calls the same measure."""
NOVELS = ("GN-GloVe", "GN-GloVe(w_a)", "GN-GloVe(w_a).MISP", "GN-GloVe(w_a).MHD")
MARKED = ("d", "E", "he/she d", "he/she E", "occupations d", "names d")
CORRELATION = 0.005
"""What two decimals less in the inputs can change in Table B.2."""

Study = Mapping[Key, Cell]


def tables() -> dict[str, str]:
    """The tables of docs/papers/dawkins-2021.md."""
    ours, theirs = results(), published("dawkins-2023")
    return {
        "marked": _marked(ours, theirs),
        "intrinsic": _intrinsic(ours, theirs),
        "order": _order(ours, theirs),
        "correlations": _correlations(ours, theirs),
        "quality": _quality(ours, theirs),
        "assignments": _assignments(),
    }


def printed_name(resource: str, method: str) -> str:
    """What the thesis calls a space; both sets of GloVe vectors are its GloVe."""
    base = "word2vec" if resource == "word2vec" else "GloVe"
    return base if method == "original" else f"{base}.{method}"


def _shown(cell: Cell | None, digits: int = 3) -> str:
    return "" if cell is None else number(cell.value, digits)


def _with(shown: str, theirs: Printed, key: tuple[str, str, str], scale: float = 1) -> str:
    if key not in theirs:
        return shown
    value = theirs[key]
    return beside(shown or "–", None if value is None else value * scale)


def _marked(ours: Study, theirs: Printed) -> str:
    """Tables 3.1 to 3.3: distances and errors, ours on GloVe 6B (GN-GloVe: on novels)."""
    where = {
        "d": ("3.1", " nouns", "d"),
        "E": ("3.1", " nouns", "E"),
        "he/she d": ("3.1", " pronouns", "d"),
        "he/she E": ("3.1", " pronouns", "E"),
        "occupations d": ("3.2", "", "d"),
        "names d": ("3.3", "", "d"),
    }
    rows = []
    novels = {row["row"]: row for row in rows_of(RESULTS / "glove.csv")}
    spaces = [(printed_name("GloVe", method), method) for method in METHODS]
    for name, method in (*spaces, *((name, "") for name in NOVELS)):
        row = [name if method else f"{name}, novels"]
        for measure in MARKED:
            table, kind, column = where[measure]
            if method:
                shown = _shown(ours.get(("GloVe", method, "gender", measure)))
            else:
                text = novels[name].get(measure, "")
                shown = number(float(text)) if text else ""
            key = (table, f"{name}{kind}", column)
            key = key if key in theirs else ("3.5", name, measure)
            row.append(_with(shown, theirs, key))
        rows.append(row)
    return markdown(["", *MARKED], rows)


def _intrinsic(ours: Study, theirs: Printed) -> str:
    """Table B.1."""
    rows = []
    for resource, methods in RESOURCES.items():
        for method in methods:
            name = printed_name(resource, method)
            cells = [
                _with(_shown(ours.get((resource, method, "gender", m))), theirs, ("B.1", name, m))
                for m in printed.INTRINSIC
            ]
            if resource == "GloVe 840B":
                cells[-1] = "–"  # no model was retrained on them
            rows.append([f"{TITLES[resource]} {method}", *cells])
    novels = {row["row"]: row for row in rows_of(RESULTS / "glove.csv")}
    for name in NOVELS:
        cells = [
            _with(marked(name, m, _text(novels[name][m])), theirs, ("B.1", name, m))
            for m in printed.INTRINSIC
        ]
        rows.append([f"{name}, novels", *cells])
    return f"{markdown(['', *printed.INTRINSIC], rows)}\n\n{OWN_BASELINE.format(folder='../')}"


def _text(text: str) -> str:
    return number(float(text)) if text not in ("", "NA") else "NA"


def _order(ours: Study, theirs: Printed) -> str:
    """Spearman's correlation over methods between our column and the published one."""
    rows = []
    for resource, methods in RESOURCES.items():
        row = [TITLES[resource]]
        for measure in printed.INTRINSIC:
            pairs = []
            for method in methods:
                cell = ours.get((resource, method, "gender", measure))
                value = theirs.get(("B.1", printed_name(resource, method), measure))
                if cell is not None and cell.value is not None and value is not None:
                    pairs.append((cell.value, value))
            row.append(_rank(pairs) if len(pairs) > 2 else "–")
        rows.append(row)
    return markdown(["order of methods", *printed.INTRINSIC], rows)


def _rank(pairs: Sequence[tuple[float, float]]) -> str:
    return f"{number(float(spearmanr(*zip(*pairs, strict=True)).statistic), 2)} ({len(pairs)})"


def _correlations(ours: Study, theirs: Printed) -> str:
    """The last column of Table B.2: printed, from the printed B.1, and ours."""
    again = {name: value for name, value, _ in printed.correlations(theirs)}
    spaces = [(resource, m) for resource in ("word2vec", "GloVe") for m in RESOURCES[resource]]

    def column(measure: str, chosen: Sequence[tuple[str, str]]) -> list[float]:
        cells = (ours.get((resource, m, "gender", measure)) for resource, m in chosen)
        return [math.nan if c is None or c.value is None else c.value for c in cells]

    rows = []
    for measure in printed.INTRINSIC[:-1]:
        key = f"{measure}, E"
        made = [number(theirs["B.2", measure, "E"]), number(again[key])]
        made += [
            _pearson(correlation(column(measure, chosen), column("E", chosen)))
            for chosen in (spaces, spaces[len(ON_WORD2VEC) :])
        ]
        rows.append([measure, *made])
    head = ["with E", "published (16)", "from the printed B.1", "ours, word2vec and 6B", "ours, 6B"]
    return markdown(head, rows)


def _pearson(found: Correlation) -> str:
    if found.low is None or found.high is None:
        return f"{number(found.value, 2)} ({found.n})"
    return f"{number(found.value, 2)} [{number(found.low, 2)}, {number(found.high, 2)}] ({found.n})"


def _quality(ours: Study, theirs: Printed) -> str:
    """Table 3.4, as shares and rank correlations."""
    rows = []
    for resource in ("GloVe", "GloVe 840B"):
        for method in METHODS:
            name = printed_name(resource, method)
            cells = [
                _with(
                    _shown(ours.get((resource, method, "gender", m))),
                    theirs,
                    ("3.4", name, m),
                    0.01,
                )
                for m in QUALITY
            ]
            rows.append([f"{TITLES[resource]} {method}", *cells])
    novels = {row["row"]: row for row in rows_of(RESULTS / "glove.csv")}
    for name in NOVELS[:3]:
        cells = [
            _with(
                _text(novels[name][m]) if m in novels[name] else "–", theirs, ("3.4", name, m), 0.01
            )
            for m in QUALITY
        ]
        rows.append([f"{name}, novels", *cells])
    return markdown(["", *QUALITY], rows)


def _assignments() -> str:
    """Appendix C of the paper: MISP's weights on the wrong axes."""
    theirs = published("dawkins-2021")
    ours = {row["row"]: float(row["E"]) for row in rows_of(RESULTS / "glove.csv")}
    pairs = [(ours[_assigned(row)], value or 0.0) for (_, row, _), value in theirs.items()]
    true = published("dawkins-2023")["3.5", "GN-GloVe(w_a).MISP", "E"] or 0.0
    ours_true = ours["GN-GloVe(w_a).MISP"]
    below = [
        sum(pair[place] < limit for pair in pairs) for place, limit in ((0, ours_true), (1, true))
    ]
    ranges = [[f"{number(f([p[i] for p in pairs]))}" for f in (min, max)] for i in (0, 1)]
    rows = [
        [
            "published",
            number(true),
            f"{ranges[1][0]} to {ranges[1][1]}",
            f"{below[1]} of {len(pairs)}",
        ],
        [
            "ours, novels",
            number(ours_true),
            f"{ranges[0][0]} to {ranges[0][1]}",
            f"{below[0]} of {len(pairs)}",
        ],
    ]
    order = f"Spearman's ρ between both lists: {_rank(pairs)}."
    head = ["", "E of MISP", "E of the 23 others", "lower than MISP"]
    return f"{markdown(head, rows)}\n\n{order}"


def _assigned(permutation: str) -> str:
    return f"GN-GloVe(w_a).MISP {'-'.join(permutation)}"


def promises() -> list[Promise]:
    """That the printed tables follow from each other, and that two programs of ours agree."""
    theirs, ours = published("dawkins-2023"), results()
    pairs = [(made, said) for _, made, said in printed.correlations(theirs)]
    found = [close(DOCUMENT, "28 correlations of B.2 from B.1, to .005", pairs, CORRELATION)]
    pairs = [(made, said) for _, made, said in printed.distances(theirs)]
    found.append(
        close(DOCUMENT, "60 distances and errors from the printed (n, e, c), to .0007", pairs, 7e-4)
    )
    both = _by_two_programs(ours)
    found.append(close(DOCUMENT, "the study and methods-table.md agree on 6B, to 1e-5", both, 1e-5))
    return found


def _by_two_programs(ours: Study) -> list[tuple[float, float]]:
    """Numbers on GloVe 6B that experiments/methods_table.py computes too."""
    others = {
        (row["method"], row["measure"]): float(row["value"])
        for row in rows_of(RESULTS / "methods-glove.csv")
        if row["value"] not in ("", "NA")
    }
    return [
        (cell.value, others[EXPRESSIONS[method], there])
        for (resource, method, _, measure), cell in ours.items()
        if (resource, cell.value is None) == ("GloVe", False) and method in EXPRESSIONS
        for there in [ELSEWHERE.get(measure, measure)]
        if cell.value is not None and (EXPRESSIONS[method], there) in others
    ]
