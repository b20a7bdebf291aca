"""Opening a report and waiting until it is all there."""

from pathlib import Path
from typing import Any

from tests.browser.tabs import Tab, Tabs
from unslant.core.record import Record
from unslant.reports.figures.of_record import figures_of

DRAWN = """() => document.querySelectorAll("figure.chart").length
    === document.querySelectorAll("figure.is-live .live svg").length"""


def read(tabs: Tabs, report: Path, **options: Any) -> Tab:
    """The report in a tab of its own, when all its charts are drawn."""
    tab = tabs.new(**options)
    tab.page.goto(report.as_uri())
    tab.page.wait_for_function(DRAWN)
    return tab


def place_of(kind: str, record: Record) -> str:
    """Where the first figure of a kind is in the report of a record."""
    names = [figure.name for figure in figures_of(record)]
    return f"#figure-{[name.startswith(kind) for name in names].index(True) + 1}"
