"""Narrow terminals, terminals of other encodings, and what a shell completes."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.highlighter import RegexHighlighter

from tests.command_line import unslant
from unslant.cli import completion
from unslant.cli.completion import methods
from unslant.cli.console import SafeConsole
from unslant.concepts import bundled_concepts, concept
from unslant.concepts.languages import weathub_code
from unslant.core.parameters import parameters_of
from unslant.core.references import reference
from unslant.datasets.registry import datasets
from unslant.measures.registry import MEASURES, metrics, probes
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.subspaces.estimator import ESTIMATORS

MAIN = "import sys\nsys.argv[0] = 'unslant'\nfrom unslant.cli.app import main\nmain()"
WIDTHS = ["40", "60", "80", "100", "160"]


def whole_words(text: str) -> set[str]:
    """Everything between spaces, commas and the lines of a table."""
    return set(re.split(r"[\s,;│┃|]+", text))


TESTS = {name for key in bundled_concepts() for name in concept(key).tests}
ENGLISH = {key for key in bundled_concepts() if not weathub_code(key)}
DIRECTIONS = {concept(key).direction for key in ENGLISH} - {None}
LISTED: dict[str, set[str]] = {
    "list concepts": {
        *bundled_concepts(),
        *TESTS,
        *(g for k in ENGLISH for g in concept(k).groups),
    },
    "list metrics": {name for entry in metrics() for name in (entry.name, entry.cites)},
    "list methods": {name for e in (*DEBIASERS, *TUNINGS) for name in (e.name, e.cites)},
    "list probes": {name for entry in probes() for name in (entry.name, entry.cites)},
    "list directions": {entry.name for entry in ESTIMATORS},
    "list data": set(datasets()),
    "list concepts gender": {"bolukbasi-2016", "caliskan-2017", "gender-specific"},
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", LISTED)
def test_no_name_is_cut_or_broken_at_any_width(command: str, width: str, tmp_path: Path) -> None:
    shown = unslant(*command.split(), cwd=tmp_path, COLUMNS=width).stdout
    assert sorted(LISTED[command] - whole_words(shown)) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_directions_are_whole_too(width: str, tmp_path: Path) -> None:
    shown = re.split(r"[\s│]+", unslant("list", "concepts", cwd=tmp_path, COLUMNS=width).stdout)
    for direction in DIRECTIONS:
        assert set(str(direction).split()) <= set(shown)


@pytest.mark.parametrize("kind", ["concepts", "metrics", "methods", "probes"])
def test_lines_are_no_wider_than_the_terminal(kind: str, tmp_path: Path) -> None:
    shown = unslant("list", kind, cwd=tmp_path, COLUMNS="80").stdout.splitlines()
    assert [line for line in shown if len(line) > 80] == []


def test_the_25_languages_take_a_few_lines(tmp_path: Path) -> None:
    shown = unslant("list", "concepts", cwd=tmp_path, COLUMNS="80").stdout.splitlines()
    assert 5 <= sum("weathub-" in line for line in shown) <= 12


@pytest.mark.parametrize("name", [entry.name for entry in MEASURES])
def test_a_measure_is_explained_in_full(name: str, tmp_path: Path) -> None:
    entry = MEASURES.entry(name)
    kind = "probes" if entry.facts.is_probe else "metrics"
    shown = " ".join(unslant("list", kind, name, cwd=tmp_path).stdout.split())
    assert " ".join(reference(entry.cites).split()) in shown
    assert entry.summary.replace("``", "`") in shown
    for item in parameters_of(entry.component):
        assert f"{item.name} = " in shown
    for score in entry.facts.scores.values():
        assert f"Range: {score.range}. Better: {score.better.text}." in shown
        assert " ".join(score.misleads.split()) in shown
    verb = "probe" if entry.facts.is_probe else "measure"
    assert re.search(rf'Example: unslant {verb} "?{name}', shown)


def test_the_formula_of_a_metric_and_its_example_are_shown(tmp_path: Path) -> None:
    shown = unslant("list", "metrics", "weat", cwd=tmp_path).stdout
    assert "  s(w) = mean over a ∈ A1 of cos(w, a) − mean over a ∈ A2 of cos(w, a)\n" in shown
    example = shown.split("Example: unslant ")[1].split()
    assert "1.7" in unslant(*example, cwd=tmp_path).stdout


def run(
    *args: str, cwd: Path, script: str = MAIN, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, whose streams have an encoding."""
    kept = {key: value for key, value in os.environ.items() if key not in ("LANG", "LC_ALL")}
    return subprocess.run(
        [sys.executable, "-c", script, *args],
        cwd=cwd,
        env={**kept, "PYTHONUTF8": "0", "COLUMNS": "80", **env},
        capture_output=True,
        timeout=120,
    )


POOR = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "ascii, strict": {"PYTHONIOENCODING": "ascii:strict"},
    "LANG=C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize(
    ("terminal", "command"),
    [
        ("ascii", "list concepts weathub-hi"),
        ("cp1252", "list words weathub-ar/flowers"),
        ("ascii, strict", "list metrics weat"),
        ("LANG=C", "list concepts"),
    ],
)
def test_a_character_that_cannot_be_shown_costs_that_character(
    terminal: str, command: str, tmp_path: Path
) -> None:
    done = run(*command.split(), cwd=tmp_path, **POOR[terminal])
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stdout) > 200


def completed(line: str, cwd: Path, shell: str = "bash") -> list[str]:
    """What the shell's own protocol answers for a line that ends at the cursor."""
    asked: dict[str, Any] = {"_UNSLANT_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    asked |= {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    asked |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return unslant(cwd=cwd, **asked).stdout.split("\n")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("unslant audit --concept weathub-d", ["weathub-da", "weathub-de"]),
        ("unslant debias --with half", ["half-sibling"]),
        ("unslant measure wea", ["weat"]),
        ("unslant list probes crows", ["crows-pairs"]),
        ("unslant list methods leac", ["leace", "leace-in-training"]),
        ("unslant probe stereo", ["stereoset"]),
        ("unslant measure weat --concept age --test yo", ["young-old-pleasant"]),
        ("unslant list concepts rac", ["race", "race-multi"]),
    ],
)
def test_a_shell_completes_names(line: str, offered: list[str], tmp_path: Path) -> None:
    assert [name for name in completed(line, tmp_path) if name] == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_complete_too(shell: str, tmp_path: Path) -> None:
    assert "leace" in "\n".join(completed("unslant list methods lea", tmp_path, shell))


def test_completion_loads_no_heavy_module(tmp_path: Path) -> None:
    heavy = ("torch", "transformers", "sklearn", "altair", "pandas")
    told = f"print('HEAVY', [m for m in {heavy} if m in sys.modules])"
    script = MAIN.replace("main()", f"import atexit\natexit.register(lambda: {told})\nmain()")
    line = {"COMP_WORDS": "unslant list methods half", "COMP_CWORD": "3"}
    done = run(cwd=tmp_path, script=script, _UNSLANT_COMPLETE="complete_bash", **line)
    assert done.stdout.decode().split("\n")[:2] == ["half-sibling", "HEAVY []"]


def test_every_method_and_measure_completes_from_its_first_letters() -> None:
    for entry in (*DEBIASERS, *TUNINGS):
        assert entry.name in methods(entry.name[:2])
        assert f"hard | {entry.name}" in methods(f"hard | {entry.name[:2]}")
    for entry in MEASURES:
        complete = completion.probes if entry.facts.is_probe else completion.metrics
        assert entry.name in complete(entry.name[:2])


def test_long_texts_are_printed_without_highlighting_which_takes_quadratic_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []
    monkeypatch.setattr(RegexHighlighter, "highlight", lambda self, text: lengths.append(len(text)))
    console, shown = SafeConsole(), io.StringIO()
    console.file = shown
    for length in (10, 80_000):
        console.print("a" * length)
    assert lengths == [10]
    assert shown.getvalue().count("a") == 80_010
