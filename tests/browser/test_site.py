"""The documentation site builds without a warning, and works as files, without any network."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.tabs import Tabs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as ``make docs`` does."""
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: make .venv/.ready-docs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def test_the_site_builds_without_a_warning_and_has_a_page_for_each_file(site: Path) -> None:
    docs = ROOT / "docs"
    pages = [
        path.relative_to(docs).with_name(path.stem.replace("README", "index") + ".html")
        for path in docs.glob("**/*.md")
    ]
    made = ("measures/weat", "probes/nli", "methods/hard", "subspaces/names", "api", "changelog")
    assert len(pages) > 50
    assert [page for page in pages if not (site / page).is_file()] == []
    assert [page for page in made if not (site / f"{page}.html").is_file()] == []


def test_every_page_can_be_reached_from_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    every = {page.relative_to(site).as_posix() for page in site.glob("**/*.html")}
    assert {page for page in every if f'href="{page}"' not in start} <= {"404.html", "index.html"}


def test_search_finds_a_page_from_a_file_and_nothing_is_asked_of_a_network(
    site: Path, tabs: Tabs
) -> None:
    tab = tabs.new(viewport={"width": 1280, "height": 900})
    tab.page.goto((site / "measures" / "weat.html").as_uri())
    tab.page.locator("[data-md-component=search-query]").click()
    tab.page.keyboard.type("Double Hard")
    found = tab.page.locator('.md-search-result__item a[href*="/methods/double-hard.html"]').first
    found.wait_for(state="visible")
    found.click()
    tab.page.wait_for_url("**/methods/double-hard.html*")
    assert tab.page.locator("h1").inner_text().startswith("double-hard")
    tab.assert_quiet()
    assert tab.requests_beside("file:") == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", ["index", "methods-table", "measures/weat", "api", "errata"])
def test_no_page_is_wider_than_the_window(site: Path, tabs: Tabs, page: str, width: int) -> None:
    tab = tabs.new(viewport={"width": width, "height": 900})
    tab.page.goto((site / f"{page}.html").as_uri())
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.assert_quiet()
    assert tab.requests_beside("file:") == []


CODE = """Array.from(document.querySelectorAll('.md-typeset pre > code'), code => ({
    text: code.innerText.slice(0, 60),
    isPrinted: code.closest('.language-text') !== null,
    isCut: code.scrollWidth > code.clientWidth + 1,
    scrolls: getComputedStyle(code).overflowX === 'auto',
}))"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", ["index", "guide", "check", "audit-a-model", "commands/audit"])
def test_no_line_of_code_is_cut_off(site: Path, tabs: Tabs, page: str, width: int) -> None:
    tab = tabs.new(viewport={"width": width, "height": 900})
    tab.page.goto((site / f"{page}.html").as_uri())
    blocks = tab.page.evaluate(CODE)
    assert blocks
    cut = [block for block in blocks if block["isCut"]]
    # Printed tables scroll on a phone; nothing else is wider than its box.
    assert [b["text"] for b in cut if width == 1280 or not b["isPrinted"]] == []
    assert all(block["scrolls"] for block in cut)
