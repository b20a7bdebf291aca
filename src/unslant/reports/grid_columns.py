"""The answers of a study as lines of plain values, for spreadsheets: every digit, no marks."""

from collections.abc import Iterator

from unslant.reports.grid_sheets import STATES
from unslant.reports.words import Record

Line = list[object]
_NAMED = ("resource", "method", "measure", "concept", "seed")


def of_table(record: Record) -> Iterator[Line]:
    """A line a row; a column more for the spread over seeds, and for other words, where any."""
    cells = [row["cells"] for row in record["rows"]]
    parts = []
    for place in range(len(record["columns"])):
        extra = []
        if any(line[place]["of"] > 1 for line in cells):
            extra += ["sd", "n", "of"]
        if any(line[place]["other_words"] for line in cells):
            extra.append("other_words")
        parts.append(extra)
    head: Line = list(record["by"])
    for column, extra in zip(record["columns"], parts, strict=True):
        head += [column["label"], *(f"{column['label']} {part}" for part in extra)]
    yield head
    for row in record["rows"]:
        line: Line = list(row["key"])
        for cell, extra in zip(row["cells"], parts, strict=True):
            line.append(cell["value"] if cell["state"] == "done" else _state(cell))
            line += [int(cell[part]) if part == "other_words" else cell[part] for part in extra]
        yield line


def _state(cell: Record) -> str:
    return "" if cell["state"] == "unasked" else STATES[cell["state"]]


def of_correlation(record: Record) -> Iterator[Line]:
    """A line for each coefficient of each pair."""
    columns = ["kind", "first", "second", "n", "value", "low", "high", "p", "how", "outcomes"]
    columns += ["corrected", "why_undefined"]
    yield [*columns]
    for pair in record["pairs"]:
        yield [pair[column] for column in columns]


def of_ranking(record: Record) -> Iterator[Line]:
    """A line a row, the best front first; rows without a front lack a number.

    ``other_words`` names the measures whose number used other words than most.
    """
    measures = [item["label"] for item in record["measures"]]
    yield [
        "row",
        "front",
        *measures,
        "mean_rank",
        "dominates",
        "dominated_by",
        "other_words",
        "lacks",
    ]
    for item in record["order"]:
        unlike = [
            label for label, is_so in zip(measures, item["other_words"], strict=True) if is_so
        ]
        lists = ["; ".join(names) for names in (item["dominates"], item["dominated_by"], unlike)]
        yield [item["name"], item["front"], *item["values"], item["mean_rank"], *lists, ""]
    for item in record["left_out"]:
        nothing = [None] * (len(measures) + 2)
        yield [item["name"], *nothing, "", "", "", "; ".join(item["lacks"])]


def of_difference(record: Record) -> Iterator[Line]:
    """A line for everything that differs, and ``kind`` says in what way."""
    yield ["kind", *_NAMED, "a", "b", "absolute", "relative", "what"]
    for item in record["changed"]:
        numbers = [item[part] for part in ("a", "b", "absolute", "relative")]
        yield ["changed", *_names(item), *numbers, "; ".join(item["parts"])]
    for side in ("a", "b"):
        for item in record[f"only_in_{side}"]:
            yield [f"only in {side.upper()}", *_names(item), None, None, None, None, ""]
    for item in record["lacking"]:
        yield [f"{item['state']} in {item['side']}", *_names(item), *[None] * 4, item["why"]]
    for item in record["other_inputs"]:
        yield ["other inputs", *_names(item), item["a"], item["b"], None, None, ""]


def _names(item: Record) -> Line:
    return [item[name] for name in _NAMED]
