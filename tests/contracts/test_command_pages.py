"""Every command has a page and an example, and every example ends well in an empty folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts.command_examples import EXAMPLES, SETUP
from scripts.command_pages import commands, empty_folder, file_of, pages, run_example

PATHS = list(commands())
GROUPS = {path[:-1] for path in PATHS}
LINES = list(dict.fromkeys([*SETUP, *(line for lines in EXAMPLES.values() for line in lines)]))


def test_every_command_has_an_example() -> None:
    names = {" ".join(path) for path in PATHS}
    groups = {" ".join(path) for path in GROUPS}
    with_examples = {name for name, lines in EXAMPLES.items() if lines}
    assert names - groups - with_examples == set()
    assert with_examples - names == set()


def test_every_command_has_a_page_with_its_help_examples_and_outputs() -> None:
    made = pages({"unslant list": "what it printed"})
    assert made.keys() == {file_of(path, GROUPS) for path in PATHS} | {"index.md"}
    for path in PATHS:
        text = made[file_of(path, GROUPS)]
        assert text.startswith(f"# unslant {' '.join(path)}\n\n```text\nUsage: unslant ")
        for line in EXAMPLES.get(" ".join(path), ()):
            assert f"```sh\n{line}\n```" in text
    assert "```sh\nunslant list\n```\n\n```text\nwhat it printed\n```" in made["list/index.md"]


def test_there_are_at_most_fourteen_commands_and_the_workflow_comes_first() -> None:
    top = list(dict.fromkeys(path[0] for path in PATHS))
    assert len(top) <= 14
    assert top[:5] == ["audit", "recommend", "debias", "check", "card"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder with the inputs of the examples, in which each finds the files of earlier ones."""
    models = Path(os.environ.get("UNSLANT_MODELS", ""))
    if not (models / "minilm").is_dir() or not (models / "smollm2").is_dir():
        pytest.skip("UNSLANT_MODELS names no folder with minilm and smollm2")
    if not os.environ.get("UNSLANT_DATA"):
        pytest.skip("UNSLANT_DATA names no folder with benchmarks")
    with empty_folder() as name:
        yield name


_SLOW = ("recommend", "train", "probe", "inspect layers", "inspect heads", "inspect re-emergence")
"""Examples that load models or compare methods; the short version leaves them out."""


def _marked(line: str) -> Any:
    is_slow = line.removeprefix("unslant ").startswith(_SLOW) and "coref-scores" not in line
    return pytest.param(line, marks=[pytest.mark.full] if is_slow else [])


@pytest.mark.parametrize("line", [_marked(line) for line in LINES])
def test_every_example_ends_well(line: str, folder: Path) -> None:
    assert run_example(line) or line.startswith("unslant export")
