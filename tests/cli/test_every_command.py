"""What holds for every command: outputs are checked first, and nothing is written over."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.command_line import unslant
from unslant.cli.verbs import app

OUTPUTS = {"--output", "--html", "--record", "--export", "--save-eraser"}
FOLDERS = {
    "study run",
    "export figures",
    "recommend",
    "train heads",
    "train ner",
    "train sentiment",
}
"""Commands whose --output is a folder."""
NEEDED = {"debias": ["--with", "linear"], "inspect re-emergence": ["--with", "leace@layer:0"]}
NEEDED |= {"train heads": ["--text", "no-such-input"]}
ENDINGS = {"--html": ".html", "--record": ".json", "--export": ".csv"}
OWN_ENDINGS = {("debias", "--output"): ".txt", ("export html", "--output"): ".html"}
OWN_ENDINGS |= {("card", "--output"): ".md", ("train nli", "--output"): ".safetensors"}
Option = tuple[str, str]


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that can be run, with its words."""
    if not hasattr(command, "list_commands"):
        yield " ".join(path), command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*path, name))


COMMANDS = dict(commands(typer.main.get_command(app)))
WRITES: list[Option] = [
    (name, option)
    for name, command in COMMANDS.items()
    for parameter in command.params
    for option in parameter.opts
    if option in OUTPUTS
]
FILES = [item for item in WRITES if not (item[0] in FOLDERS and item[1] == "--output")]


def test_there_are_outputs_to_check() -> None:
    assert len(COMMANDS) > 40
    assert {"audit", "debias", "export html", "probe nli", "train nli"} <= {
        name for name, _ in WRITES
    }
    assert {option for _, option in WRITES} == OUTPUTS


KEPT = ("study run", "train heads", "train ner", "train sentiment")
"""A study continues in its folder, and the folder of a trained model is never replaced."""


@pytest.mark.parametrize("name", sorted({name for name, _ in WRITES} - set(KEPT)))
def test_a_command_that_writes_has_an_option_to_overwrite(name: str) -> None:
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert "--overwrite" in options


def with_output(item: Option, path: str) -> list[str]:
    """A command on input that does not exist, so that only an early check speaks of the output."""
    name, option = item
    given = [*name.split(), *NEEDED.get(name, [])]
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "argument" and parameter.required:
            given.append("no-such-input")
        elif parameter.required and not {option, *given} & set(parameter.opts):
            given += [parameter.opts[0], "no-such-input"]
    if name in ("audit", "debias"):
        given.append("no-such-input")
    return [*given, option, path]


def ending(item: Option) -> str:
    return OWN_ENDINGS.get(item, ENDINGS.get(item[1], ".safetensors"))


@pytest.mark.parametrize("item", FILES, ids=" ".join)
def test_a_folder_that_does_not_exist_is_refused_before_the_input_is_read(
    item: Option, tmp_path: Path
) -> None:
    said = unslant(*with_output(item, f"nowhere/out{ending(item)}"), cwd=tmp_path, code=2).stderr
    assert "folder that does not exist" in said
    assert "no-such-input" not in said


@pytest.mark.parametrize("item", FILES, ids=" ".join)
def test_a_file_that_exists_is_kept_and_named_before_the_input_is_read(
    item: Option, tmp_path: Path
) -> None:
    path = tmp_path / f"out{ending(item)}"
    path.write_text("kept")
    said = unslant(*with_output(item, path.name), cwd=tmp_path, code=2).stderr
    assert f"{path.name} exists" in said
    assert "--overwrite" in said
    assert path.read_text() == "kept"


@pytest.mark.parametrize("item", FILES, ids=" ".join)
def test_a_wrong_ending_is_refused_before_the_input_is_read(item: Option, tmp_path: Path) -> None:
    said = unslant(*with_output(item, "out.wrong"), cwd=tmp_path, code=2).stderr
    assert "out.wrong" in said
    assert "no-such-input" not in said


@pytest.mark.parametrize("name", sorted(FOLDERS - {"study run"}))
def test_a_folder_of_results_is_not_made_in_a_folder_that_does_not_exist(
    name: str, tmp_path: Path
) -> None:
    said = unslant(*with_output((name, "--output"), "nowhere/out"), cwd=tmp_path, code=2).stderr
    assert "nowhere" in said
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", [name for name in KEPT if name != "study run"])
def test_the_folder_of_a_trained_model_is_not_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    said = unslant(*with_output((name, "--output"), "out"), cwd=tmp_path, code=2).stderr
    assert "out already exists" in said


def test_converting_checks_its_output_first(tmp_path: Path) -> None:
    for path, why in (
        ("nowhere/a.txt", "does not exist"),
        ("a.wrong", "suffix does not determine"),
    ):
        said = unslant("files", "convert", "no-such-input", "-o", path, cwd=tmp_path, code=2).stderr
        assert why in said


@pytest.mark.parametrize(
    "group", ["", "list", "inspect", "export", "files", "probe", "study", "train"]
)
def test_help_says_what_each_command_does_in_a_whole_sentence(group: str, tmp_path: Path) -> None:
    help_text = unslant(*group.split(), "--help", cwd=tmp_path, COLUMNS="60").stdout
    heading = "Commands" if group else "Workflow, in this order"
    _, found, listed = help_text.partition(f"\n{heading}:\n")
    assert found
    listed = re.sub(r"\n\n\S.*:\n", "\n", listed)  # the headings of further sections
    # a name begins a line; what is indented further goes on with its sentence
    entries = re.split(r"\n(?=  \S)", listed.rstrip())
    depth = len(group.split())
    names = {
        path.split()[depth]
        for path, command in COMMANDS.items()
        if path.split()[:depth] == group.split() and not command.hidden
    }
    assert {entry.split()[0] for entry in entries} == names
    assert [entry for entry in entries if not entry.rstrip().endswith((".", "?"))] == []
