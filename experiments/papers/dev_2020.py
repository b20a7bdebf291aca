"""Dev et al. (2020), Tables 1, 3, 5 and 7 to 10: models on GloVe 840B, several trainings each.

The numbers are those of experiments/results/dev-tables.csv, which experiments/dev_tables.py
writes; spaces that are not trained yet are left out of the tables, and the tables say so.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from experiments.papers.promises import Promise, close
from experiments.papers.seeds import difference, mean_and_spread, told
from experiments.papers.tables import (
    RESULTS,
    Printed,
    as_csv,
    beside,
    markdown,
    number,
    percent,
    published,
    rows_of,
)
from unslant.concepts import WordPolicy, concept
from unslant.probes.nli.sets import pair_set
from unslant.subspaces.stability import stability
from unslant.vectors import WordVectors

DOCUMENT = "Dev et al."
RESULT = RESULTS / "dev-tables.csv"
STABILITY = RESULTS / "papers-stability.csv"
MEASURES = {
    "NN": "nli-net-neutral",
    "FN": "nli-fraction-neutral",
    "T:0.5": "nli-threshold-0.5",
    "T:0.7": "nli-threshold-0.7",
}
SETS = {"gender": "gender-occupation", "nationality": "nationality", "religion": "religion"}
SIZES = {"nationality": 26 * 27 * 95 * 32, "religion": 26 * 27 * 95 * 17}
LONGER_LISTS = {
    "gender": "pair-pca(stability, k=1)",
    "nationality": "set-pca(demonyms, k=1)",
    "religion": "set-pca(adherents, k=1)",
}

Trainings = Mapping[tuple[str, str, str, str], Sequence[float]]


def trainings() -> Trainings:
    """The values of all trainings by concept, method, set and measure.

    Random directions differ from each other as well as in their training, and count as one method.
    """
    found: dict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for row in rows_of(RESULT):
        method = "random" if row["method"].startswith("random") else row["method"]
        found[row["concept"], method, row["set"], row["measure"]].append(float(row["value"]))
    return found


def tables() -> dict[str, str]:
    """The tables of docs/papers/dev-2020.md that have models of word vectors in them."""
    ours, theirs = trainings(), published("dev-2020")
    head = ["", *MEASURES]
    return {
        "table-1": markdown(head, _original(ours, theirs, "1", "gender")),
        "table-3": markdown(head, _original(ours, theirs, "3", "nationality")),
        "table-5": markdown(head, _original(ours, theirs, "5", "religion")),
        "table-7": _stability(theirs),
        "table-8": markdown(head, _table_8(ours, theirs)),
        "table-9": markdown(head, _table_9(ours, theirs)),
        "table-10": _table_10(ours, theirs),
        "percentages": _percentages(theirs),
    }


def values_of(ours: Trainings, about: str, method: str, subject: str, measure: str) -> list[float]:
    """The trainings of a space for a concept, asked about a subject."""
    return list(ours.get((about, method, SETS[subject], MEASURES[measure]), ()))


def _original(ours: Trainings, theirs: Printed, table: str, subject: str) -> list[list[str]]:
    return [
        ["published", *(number(theirs[table, "GloVe", m]) for m in MEASURES)],
        [
            "ours, 840B",
            *(mean_and_spread(values_of(ours, "gender", "original", subject, m)) for m in MEASURES),
        ],
        ["ours, 6B", *_on_6b("original", subject)],
    ]


def _on_6b(row: str, subject: str) -> list[str]:
    """The same on GloVe 6B with 100 dimensions, one training without a BiLSTM."""
    found = {
        (line["row"], line["set"], line["measure"]): float(line["value"])
        for line in rows_of(RESULTS / "nli.csv")
        if line["model"] == "retrained"
    }
    cells = (found.get((row, SETS[subject], measure)) for measure in MEASURES.values())
    return ["–" if cell is None else f"{number(cell)} (1)" for cell in cells]


def _table_8(ours: Trainings, theirs: Printed) -> list[list[str]]:
    def of(method: str, measure: str) -> list[float]:
        return values_of(ours, "gender", method, "gender", measure)

    rows = [
        ["he − she, published", *_changed(theirs, "8", "projected")],
        ["random (8), published", *_changed(theirs, "8", "random")],
        ["original", *(mean_and_spread(of("original", m)) for m in MEASURES)],
        ["he − she", *(mean_and_spread(of("linear", m)) for m in MEASURES)],
        ["random", *(mean_and_spread(of("random", m)) for m in MEASURES)],
    ]
    for name, first, second in (
        ("he − she against original", "linear", "original"),
        ("random against original", "random", "original"),
        ("he − she against random", "linear", "random"),
    ):
        pairs = [(of(first, m), of(second, m)) for m in MEASURES]
        if not all(all(pair) for pair in pairs):
            rows.append([name, *["–"] * len(MEASURES)])
            continue
        found = [difference(*pair) for pair in pairs]
        rows.append([name, *map(str, found)])
        rows.append([f"{name}: told apart?", *map(told, found)])
    return rows


def _changed(theirs: Printed, table: str, row: str) -> list[str]:
    return [
        f"{number(theirs[table, row, m])} ({percent(theirs[table, f'{row}, %', m] or 0.0)})"
        for m in MEASURES
    ]


def _table_9(ours: Trainings, theirs: Printed) -> list[list[str]]:
    rows = []
    for subject in ("nationality", "religion"):
        before = [values_of(ours, "gender", "original", subject, m) for m in MEASURES]
        after = [values_of(ours, subject, "linear", subject, m) for m in MEASURES]
        rows.append([f"{subject}, published", *_changed(theirs, "9", subject)])
        rows.append([f"{subject}, original", *map(mean_and_spread, before)])
        rows.append([f"{subject}, projected", *map(mean_and_spread, after)])
        if all(before) and all(after):
            found = [difference(*pair) for pair in zip(after, before, strict=True)]
            rows.append([f"{subject}, change", *map(str, found)])
            rows.append([f"{subject}: told apart?", *map(told, found)])
    return rows


def _table_10(ours: Trainings, theirs: Printed) -> str:
    spaces = {
        "original": ("gender", "original"),
        "gender": ("gender", "linear"),
        "nationality": ("nationality", "linear"),
        "religion": ("religion", "linear"),
        "random": ("gender", "random"),
    }
    cells = {
        name: list(ours.get((*space, "snli", "dev-accuracy"), ())) for name, space in spaces.items()
    }
    shown = ["ours, dev", *(mean_and_spread(values, 4) for values in cells.values())]
    printed = [
        [
            f"published, {part}",
            *(
                number((theirs["10", part, name] or 0.0) / 100, 4) if name != "random" else "–"
                for name in spaces
            ),
        ]
        for part in ("dev", "test")
    ]
    return markdown(["", *spaces], [*printed, shown])


def computed(vectors: WordVectors) -> str:
    """How steady each concept's direction is (Table 7)."""
    lines: list[tuple[object, ...]] = []
    policy = WordPolicy(missing="drop")
    for name, other in LONGER_LISTS.items():
        [found] = stability(vectors, concept(name), others=(other,), policy=policy)
        values = dict(zip(("2nd", "3rd", "4th"), found.ratios, strict=True), cosine=found.cosine)
        lines += [(name, column, f"{value:.6g}") for column, value in values.items()]
    [names] = stability(vectors, concept("gender"), others=("two-means(names)",), policy=policy)
    lines.append(("he - she", "cosine with names", f"{names.cosine:.6g}"))
    return as_csv(("row", "column", "value"), lines)


def _stability(theirs: Printed) -> str:
    ours = {(row["row"], row["column"]): float(row["value"]) for row in rows_of(STABILITY)}
    columns = ("2nd", "3rd", "4th", "cosine")
    rows = [
        [
            name,
            *(
                beside(number(ours[name, column], 2), theirs["7", name, column], 2)
                for column in columns
            ),
        ]
        for name in LONGER_LISTS
    ]
    about = "he - she", "cosine with names"
    last = [
        "he − she and names",
        "",
        "",
        "",
        beside(number(ours[about], 2), theirs["7", *about], 2),
    ]
    return markdown(["", *columns], [*rows, last])


def _percentages(theirs: Printed) -> str:
    """The percentages that do not follow from the numbers they are printed beside."""
    rows = [
        [f"Table {table}, {row}, {measure}", percent(printed), f"{percent(low)} to {percent(high)}"]
        for table, row, measure, printed, low, high in printed_changes(theirs)
        if not low <= printed <= high
    ]
    return markdown(["printed in", "printed", "from the printed scores"], rows)


def printed_changes(
    theirs: Printed,
) -> list[tuple[str, str, str, float, float, float]]:
    """Every printed percentage with the range that its printed scores, as rounded, allow."""
    starts = {
        ("8", "projected"): ("1", "GloVe"),
        ("8", "random"): ("1", "GloVe"),
        ("9", "nationality"): ("3", "GloVe"),
        ("9", "religion"): ("5", "GloVe"),
        ("11", "projected"): ("1", "ELMo"),
        ("11", "random"): ("1", "ELMo"),
        ("13", "random"): ("1", "ELMo"),
        ("14", "nationality"): ("3", "ELMo"),
        ("15", "at test"): ("1", "BERT"),
        ("15", "random at test"): ("1", "BERT"),
        ("15", "train and test"): ("1", "BERT"),
        ("15", "random"): ("1", "BERT"),
    }
    found = []
    for (table, row), start in starts.items():
        for measure in MEASURES:
            printed = theirs[table, f"{row}, %", measure]
            after, before = theirs[table, row, measure], theirs[*start, measure]
            if printed is None or after is None or before is None:
                continue
            low = 100 * ((after - 0.0005) / (before + 0.0005) - 1) - 0.05
            high = 100 * ((after + 0.0005) / (before - 0.0005) - 1) + 0.05
            found.append((table, row, measure, printed, low, high))
    return found


def promises() -> list[Promise]:
    """That the test sets have the document's sizes, and that every space is there in the table."""
    sizes = [(float(len(pair_set(name))), float(size)) for name, size in SIZES.items()]
    done = trainings()
    spaces = {key[:2] for key in done}
    wanted = {("gender", method) for method in ("original", "linear", "random")} | {
        (name, "linear") for name in SIZES
    }
    lacking = sorted(" ".join(space) for space in wanted - spaces)
    found = f"not trained yet: {', '.join(lacking)}" if lacking else f"{len(wanted)} spaces"
    return [
        close(DOCUMENT, "pairs on nationality and religion, exactly", sizes, 0.0),
        Promise(
            DOCUMENT, "every space of Tables 8 to 10 is trained", found, None if lacking else True
        ),
    ]
