"""The command reference has every command, and its outputs are those of today."""

import re
from pathlib import Path

import pytest
from scripts.command_examples import EXAMPLES
from scripts.command_pages import commands, empty_folder, file_of, help_of, pages, printed

FOLDER = Path(__file__).parents[2] / "docs" / "commands"
PATHS = list(commands())
LISTINGS = (
    *(
        "unslant list metrics",
        "unslant list metrics weat",
        "unslant list methods",
        "unslant list methods hard",
    ),
    *("unslant probe", "unslant list probes nli", "unslant list directions"),
    *("unslant list concepts", "unslant list concepts gender", "unslant list data"),
)
"""Examples that cost nothing: the others are run with all of them, in the long version."""


GROUPS = {path[:-1] for path in PATHS}


def page(path: tuple[str, ...]) -> str:
    return (FOLDER / file_of(path, GROUPS)).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_has_a_page_with_its_help(path: tuple[str, ...]) -> None:
    with empty_folder(has_inputs=False):
        told = help_of(path)
    assert page(path).startswith(f"# unslant {' '.join(path)}\n\n```text\n{told}\n```\n")


def test_every_command_has_an_example_with_its_output() -> None:
    names = {" ".join(path) for path in PATHS}
    groups = {" ".join(path) for path in GROUPS}
    told = {name for name, lines in EXAMPLES.items() if lines}
    assert names - groups - told == set()
    assert told - names == set()
    for path in PATHS:
        shown = re.findall(r"```sh\n(unslant .*)\n```\n\n```text\n", page(path))
        assert shown == EXAMPLES.get(" ".join(path), []), path


def test_there_is_no_page_of_a_command_that_is_gone() -> None:
    known = {file_of(path, GROUPS) for path in PATHS} | {"index.md"}
    assert {file.relative_to(FOLDER).as_posix() for file in FOLDER.glob("**/*.md")} == known


@pytest.mark.parametrize("line", LISTINGS)
def test_what_a_listing_prints_is_what_the_page_shows(line: str) -> None:
    with empty_folder(has_inputs=False):
        told = printed(line).splitlines()
    path = next(path for path in PATHS if line in EXAMPLES.get(" ".join(path), ()))
    shown = page(path).partition(f"```sh\n{line}\n```\n\n```text\n")[2].partition("\n```")[0]
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
