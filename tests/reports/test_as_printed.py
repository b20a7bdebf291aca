"""What prints alike is alike: marks of the best, and the colours of a heat map."""

from dataclasses import replace

import pytest

from tests.reports.figures.made_studies import data, heat_of, row, study
from unslant.core.study_record import TableCell
from unslant.reports.as_printed import best_as_printed, digits_of
from unslant.reports.figures.heatmap import heatmap
from unslant.reports.grids import grid_text, of_table
from unslant.reports.html.studies import answer_tables
from unslant.studies.answers import table


def cells(*values: float | None) -> list[TableCell]:
    return [TableCell(value=value) for value in values]


@pytest.mark.parametrize(
    ("better", "values", "best"),
    [
        ("smaller", (0.12341, 0.12339, 0.2), [True, True, False]),
        ("larger", (0.12341, 0.12339, 0.2), [False, False, True]),
        ("closer to 0", (-0.1001, 0.1, 0.3), [True, True, False]),
        ("closer to 0.5", (0.49, 0.51, 0.6), [True, True, False]),
        ("closer to 0.5", (0.4901, 0.51, 0.9), [True, True, False]),
        ("smaller", (0.12341, 0.12339), [False, False]),  # nothing beats anything
        ("smaller", (0.5, None), [False, False]),
        ("", (0.1, 0.2), [False, False]),
    ],
)
def test_equal_printed_values_are_both_best_or_neither(
    better: str, values: tuple[float | None, ...], best: list[bool]
) -> None:
    assert best_as_printed(cells(*values), better, 3) == best


def test_a_cell_on_other_words_is_never_the_best() -> None:
    first, *rest = cells(0.1, 0.2, 0.3)
    assert best_as_printed([replace(first, other_words=True), *rest], "smaller", 3) == [
        False,
        True,
        False,
    ]


def test_a_heat_map_paints_equal_printed_values_alike() -> None:
    rows = [
        row(method, "E", value, "smaller") for method, value in (("a", 0.71201), ("b", 0.71199))
    ]
    assert [line[0] for line in heat_of(rows).of] == [0.0, 0.0]
    rows.append(row("c", "E", 0.9, "smaller"))
    assert [line[0] for line in heat_of(rows).of] == [0.0, 0.0, -1.0]
    cells = (one for one in data(heatmap(study(rows))[0]) if "method" in one)
    shown = {one["method"]: one for one in cells}
    assert shown["a"]["text"] == shown["b"]["text"]
    assert [shown[name]["best"] for name in "abc"] == [True, True, False]
    assert shown["a"]["strength"] == shown["b"]["strength"] == 0


def test_a_change_below_the_printed_digits_has_no_colour() -> None:
    rows = [
        row("original", "E", 0.50001, "closer to 0.5"),
        row("hard", "E", 0.49998, "closer to 0.5"),
        row("soft", "E", 0.4, "closer to 0.5"),
    ]
    assert [line[0] for line in heat_of(rows).of] == [0.0, 0.0, -1.0]


CLOSE = {
    "smaller": (0.51244, 0.51216, 0.9),  # alike with three digits, not with four
    "larger": (0.0121, 0.0124, 0.001),  # alike with three digits, not with four
    "closer to 0": (-1.7161, 1.7183, 2.5),  # alike with two digits, not with three
    "closer to 50": (49.2, 50.79, 61.0),  # alike with one digit, not with two
    "closer to 0.5": (0.4997, 0.5004, 0.9),
}
"""Values of three methods whose order depends on how many digits are looked at."""


def test_bold_in_latex_markdown_and_page_is_bold_in_the_heat_map() -> None:
    rows = [
        row(method, better, value, better)
        for better, values in CLOSE.items()
        for method, value in zip("abc", values, strict=True)
    ]
    made = study(rows)
    found = made.table
    assert found is not None
    drawn = {
        (one["method"], one["label"]): one for one in data(heatmap(made)[0]) if "method" in one
    }
    by_latex, by_markdown = (
        dict(zip("abc", _lines(grid_text(found, form), sign), strict=True))
        for form, sign in (("latex", "&"), ("markdown", "|"))
    )
    [page] = answer_tables(made).numbers
    assert len(drawn) == 3 * len(CLOSE)
    for place, better in enumerate(column.label for column in found.columns):
        best = best_as_printed(found.column(place), better, digits_of(found.column(place)))
        assert any(best)
        for order, method in enumerate("abc"):
            cell = drawn[method, better]
            assert cell["best"] == best[order], (method, better)
            assert by_latex[method][place].startswith(r"\textbf{") == best[order]
            assert by_markdown[method][place].startswith("**") == best[order]
            where = order, page.names + place
            assert page.texts()[where[0]][where[1]] == cell["text"]
            assert (where in page.best) == best[order]


def _lines(text: str, sign: str) -> list[list[str]]:
    """The cells of numbers in a table, without its headings and names."""
    body = [line.rstrip("\\ ").strip("| ") for line in text.splitlines() if f" {sign} " in line]
    cells = [[cell.strip() for cell in line.split(f" {sign} ")] for line in body]
    return [line[-len(CLOSE) :] for line in cells if line[0] == "glove"]


def test_a_table_sets_off_all_that_print_as_the_best() -> None:
    found = table([row(m, "E", v, "smaller") for m, v in (("a", 0.12341), ("b", 0.12339))])
    assert of_table(found, 3).best == set()
    assert of_table(found, 4).best == set()
    assert of_table(found, 5).best == {(1, 2)}
