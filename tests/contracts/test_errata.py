"""Every test that the page of published mistakes names exists in the file that it links to."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NAMED = re.findall(r"\[(test_\w+)\]\(([^)]+)\)", (DOCS / "errata.md").read_text())


def test_the_page_names_tests() -> None:
    assert len(NAMED) > 40


@pytest.mark.parametrize(("name", "path"), NAMED)
def test_a_named_test_exists(name: str, path: str) -> None:
    assert f"def {name}(" in (DOCS / path).read_text(encoding="utf-8")
