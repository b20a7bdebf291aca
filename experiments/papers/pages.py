"""Every page with its tables, and all promises."""

from collections.abc import Callable, Mapping

from scripts.marked_page import between

from experiments.papers import (
    cheung_ip_page,
    dawkins_2021,
    dawkins_2023,
    dev_2020,
    dev_2020_contextual,
    dev_2020_examples,
    dev_2020_verdicts,
    dutta,
)
from experiments.papers.caliskan import tables as caliskan_tables
from experiments.papers.promises import Promise, promises_table
from experiments.papers.tables import PAGES
from unslant.core.files import write_text

Tables = Callable[[], Mapping[str, str]]

CONTENT: Mapping[str, tuple[Tables, ...]] = {
    "cheung-ip.md": (cheung_ip_page.tables, caliskan_tables),
    "dev-2020.md": (
        dev_2020.tables,
        dev_2020_contextual.tables,
        dev_2020_examples.tables,
        dev_2020_verdicts.tables,
    ),
    "dawkins-2021.md": (dawkins_2021.tables,),
    "dawkins-2023.md": (dawkins_2023.tables,),
    "dutta.md": (dutta.tables,),
    "README.md": (lambda: {"promises": promises_table(promises())},),
}


def promises() -> list[Promise]:
    """What all pages promise, with what was found."""
    documents = (cheung_ip_page, dev_2020, dawkins_2021, dawkins_2023, dutta)
    return [promise for document in documents for promise in document.promises()]


def made(page: str) -> str:
    """A page with its tables made anew from the results."""
    path = PAGES / page
    text = path.read_text(encoding="utf-8")
    for tables in CONTENT[page]:
        for mark, table in tables().items():
            text = between(path, text, mark, table)
    return text


def outdated() -> list[str]:
    """The pages that say something else than the results."""
    return [page for page in CONTENT if made(page) != (PAGES / page).read_text(encoding="utf-8")]


def write_pages() -> list[str]:
    """Write the tables of all pages; the names of the pages that changed."""
    changed = {page: made(page) for page in outdated()}
    for page, text in changed.items():
        write_text(PAGES / page, text)
    return list(changed)
