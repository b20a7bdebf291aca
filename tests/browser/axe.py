"""axe-core, which finds what those who cannot see or point would stumble over."""

from importlib.resources import files
from typing import Any

import pytest

from tests.browser.tabs import Tab

_PACKAGE = "axe_playwright_python"
_RUN = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]))"""


def axe_script() -> str:
    """The script, from the package that holds it."""
    pytest.importorskip(_PACKAGE)
    return (files(_PACKAGE) / "axe.min.js").read_text(encoding="utf-8")


def violations(tab: Tab) -> list[Any]:
    """What axe-core calls serious or critical in the page as it is now.

    It is put into the page once; the page must have a body by then.
    """
    if not tab.page.evaluate("typeof axe !== 'undefined'"):
        tab.page.evaluate(axe_script())
    found: list[Any] = tab.page.evaluate(_RUN)
    return found
