"""The pages say what the results say, all of it, and nothing else."""

import re

import pytest

from experiments.papers.pages import CONTENT, outdated, promises
from experiments.papers.tables import PAGES

DOCUMENTS = sorted(page for page in CONTENT if page != "README.md")


def test_every_table_is_what_the_results_give() -> None:
    assert outdated() == []


def test_every_promise_holds_or_says_why_it_was_not_checked() -> None:
    found = promises()
    assert [promise.promise for promise in found if promise.holds is False] == []
    assert sum(promise.holds is True for promise in found) >= 11


def test_there_is_a_page_for_each_document_and_nothing_else() -> None:
    assert sorted(path.name for path in PAGES.iterdir()) == sorted(CONTENT)
    assert len(DOCUMENTS) == 5


@pytest.mark.parametrize("page", sorted(CONTENT))
def test_a_page_is_short_and_every_mark_has_its_table(page: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 400
    marks = re.findall(r"<!-- begin (.+?) -->", text)
    made = [mark for tables in CONTENT[page] for mark in tables()]
    assert sorted(marks) == sorted(made)
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("page", DOCUMENTS)
def test_a_page_has_its_verdicts_its_command_and_what_differs(page: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    assert re.search(r"\*\*(agree|differ|not reproduced)", text)
    assert "make papers VECTORS=DIR" in text
    assert "**What differs.**" in text


@pytest.mark.parametrize(
    ("page", "tables"),
    [
        ("dev-2020.md", range(1, 18)),
        ("dawkins-2021.md", range(1, 7)),
        ("dutta.md", range(1, 4)),
        ("dawkins-2023.md", ("3.1", "4.1", "4.2", "4.3", "4.4", "5.1", "5.5", "5.6", "D.1", "C.1")),
    ],
)
def test_no_table_of_a_document_is_passed_over(page: str, tables: list[object]) -> None:
    """Each is named in the first table of the page, or lies in a range that is."""
    listed = (PAGES / page).read_text(encoding="utf-8").split("```")[0]
    for table in tables:
        assert re.search(rf"(?<![\d.]){re.escape(str(table))}(?![\d])", listed), table
