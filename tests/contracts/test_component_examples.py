"""Every component says all that its page needs, and its examples run as they are printed."""

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

import unslant
from tests.command_line import parsed
from tests.command_line import unslant as run
from tests.real_models import real_model
from unslant.cli.examples import commands, python
from unslant.core.references import references
from unslant.core.registry import Entry
from unslant.measures.registry import Declared, metrics, probes
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.subspaces.estimator import ESTIMATORS

TOLD_BY: dict[str, list[Entry[Any]]] = {
    "list metrics": [*metrics()],
    "list probes": [*probes()],
    "list methods": [*DEBIASERS, *TUNINGS],
    "list directions": [*ESTIMATORS],
}
ENTRIES = [entry for entries in TOLD_BY.values() for entry in entries]
TOLD = [(f"{verb} {entry.name}", entry) for verb, entries in TOLD_BY.items() for entry in entries]


def named(entry: Any) -> str:
    return str(getattr(entry, "name", entry))


def warnings_of(entry: Entry[Any]) -> list[str]:
    if isinstance(entry.facts, Declared):
        return [score.misleads for score in entry.facts.scores.values()]
    return [entry.facts.misleads]


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_a_component_has_a_formula_a_warning_and_a_citation(entry: Entry[Any]) -> None:
    assert any(sign in entry.formula for sign in "=Σ()"), entry.formula
    assert all(len(line) <= 92 for line in entry.formula.splitlines())
    assert all(len(text.split()) >= 8 for text in warnings_of(entry)), warnings_of(entry)
    assert entry.cites in references()


@pytest.mark.parametrize(("command", "entry"), TOLD, ids=named)
def test_the_command_line_tells_the_same(command: str, entry: Entry[Any], tmp_path: Path) -> None:
    told = " ".join(run(*command.split(), cwd=tmp_path).stdout.split())
    for text in (entry.formula, *warnings_of(entry), *commands(entry)):
        assert " ".join(text.split()) in told


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_every_example_can_be_typed_and_is_python(entry: Entry[Any]) -> None:
    for command in commands(entry):
        first, *words = shlex.split(command)
        assert first == "unslant"
        parsed(words)
    compile(python(entry), entry.name, "exec")


def run_python(entry: Entry[Any], capsys: pytest.CaptureFixture[str]) -> None:
    made: dict[str, Any] = {"__name__": "pasted"}
    exec(python(entry), made)
    if "found" in made and not hasattr(made["found"], "record"):
        assert made["found"].value is not None
    elif "found" in made:
        assert any(result.now.value is not None for result in made["found"].record.results)
    elif "fair" in made:
        assert made["fair"].dim <= made["vectors"].dim
    else:
        assert capsys.readouterr().out.startswith(str(made["direction"].k))


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if not entry.example.of], ids=named)
@pytest.mark.usefixtures("built_in")
def test_every_example_on_the_built_in_vectors_runs(
    entry: Entry[Any], capsys: pytest.CaptureFixture[str], built_in: Path
) -> None:
    if entry.example.data and not os.environ.get("UNSLANT_DATA"):
        pytest.skip(f"UNSLANT_DATA with {entry.example.data} is not set")
    if entry.name == "winopron":
        found = Path(os.environ.get("UNSLANT_DATA", "")) / "winopron" / "data.zip"
        if not found.is_file():
            pytest.skip("UNSLANT_DATA with winopron/data.zip is not set")
        (built_in / "data.zip").symlink_to(found)
    run_python(entry, capsys)


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ENTRIES if entry.name in ("ablate", "ceat", "control")],
    ids=named,
)
def test_an_example_with_a_model_runs(
    entry: Entry[Any], capsys: pytest.CaptureFixture[str], built_in: Path
) -> None:
    pytest.importorskip("torch")
    (built_in / "MODEL").symlink_to(real_model("minilm"))
    if entry.name == "control":
        with pytest.raises(unslant.UnslantError, match="head"):  # which this encoder has lost
            exec(python(entry), {})
        return
    made: dict[str, Any] = {"__name__": "pasted"}
    exec(python(entry), made)
    assert "fair" in made or made["found"].value is not None
