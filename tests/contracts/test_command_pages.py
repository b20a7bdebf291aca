"""The command reference has every command, and its outputs are those of today."""

import re
from pathlib import Path

import pytest
from scripts.command_examples import EXAMPLES, NOT_RUN
from scripts.command_pages import commands, empty_folder, help_of, pages, printed

FOLDER = Path(__file__).parents[2] / "docs" / "commands"
PATHS = list(commands())
LISTINGS = (
    *("unslant metrics", "unslant metrics weat", "unslant methods", "unslant methods hard"),
    *("unslant probe", "unslant probe nli --list", "unslant subspace --list"),
    *("unslant concepts", "unslant concepts show gender", "unslant data"),
)
"""Examples that cost nothing: the others are run with all of them, in the long version."""


def page(verb: str) -> str:
    return (FOLDER / f"{verb}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_is_there_with_its_help(path: tuple[str, ...]) -> None:
    with empty_folder(has_inputs=False):
        told = help_of(path)
    heading = f"{'#' * min(len(path), 2)} unslant {' '.join(path)}\n\n```text\n{told}\n```\n"
    assert heading in page(path[0])


def test_every_command_has_an_example_or_a_reason_to_have_none() -> None:
    names = {" ".join(path) for path in PATHS}
    groups = {" ".join(path[:-1]) for path in PATHS}
    told = set(NOT_RUN) | {name for name, lines in EXAMPLES.items() if lines}
    assert names - groups - told == set()
    assert told - names == set()
    shown = re.findall(r"```sh\n(unslant .*)\n```\n\n```text\n", "\n".join(map(page, verbs())))
    assert {line for lines in EXAMPLES.values() for line in lines} == set(shown)


def verbs() -> list[str]:
    return sorted({path[0] for path in PATHS})


@pytest.mark.parametrize("line", LISTINGS)
def test_what_a_listing_prints_is_what_the_page_shows(line: str) -> None:
    with empty_folder(has_inputs=False):
        told = printed(line).splitlines()
    shown = (
        page(line.split()[1]).partition(f"```sh\n{line}\n```\n\n```text\n")[2].partition("\n```")[0]
    )
    lines = shown.splitlines()
    assert len(lines) > 5
    if lines[-1].startswith("… and "):
        lines.pop()
        assert len(lines) < len(told)
    assert told[: len(lines)] == lines


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_all_examples_print_what_the_pages_show() -> None:
    for name, text in pages().items():
        assert text == (FOLDER / name).read_text(encoding="utf-8"), name
