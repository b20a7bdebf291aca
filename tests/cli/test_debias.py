"""``unslant debias`` and ``unslant list methods`` as a newcomer runs them."""

import json
from pathlib import Path

import pytest

from tests.command_line import json_of, unslant
from unslant.erasers import Eraser
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.vectors import load
from unslant.vectors.save import save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(load().head(8000), tmp_path / "some.txt")
    return tmp_path


def test_vectors_record_eraser_and_report_are_written_and_named(folder: Path) -> None:
    done = unslant(
        *("debias", "some.txt", "--with", "hard | misp", "-o", "fair.safetensors"),
        *("--save-eraser", "e.safetensors", "--html", "fair.html"),
        cwd=folder,
        UNSLANT_DATA="",
    )
    for line in (
        "Vectors: fair.safetensors",
        "Eraser: e.safetensors",
        "Record: fair.safetensors.json",
        "Report: fair.html",
    ):
        assert line in done.stdout
    assert "Association tests (WEAT)" in done.stdout
    assert "of 8,000 vectors changed" in done.stdout
    assert load(folder / "fair.safetensors").name == "some.hard.misp"
    record = json.loads((folder / "fair.safetensors.json").read_text())
    assert record["treatment"]["expression"] == "hard | misp"
    assert Eraser.load(folder / "e.safetensors").expression == "hard | misp"
    assert "What was done" in (folder / "fair.html").read_text()


def test_a_fitted_eraser_does_the_same_again_and_acts_on_another_file(folder: Path) -> None:
    quick = ("--measure", "none")
    unslant(
        *("debias", "some.txt", "-w", "hard", "-o", "a.txt", "--save-eraser", "e.safetensors"),
        *quick,
        cwd=folder,
    )
    unslant("debias", "some.txt", "--apply", "e.safetensors", "-o", "b.txt", *quick, cwd=folder)
    assert (folder / "a.txt").read_bytes() == (folder / "b.txt").read_bytes()
    unslant("debias", "--apply", "e.safetensors", "-o", "all.npz", *quick, cwd=folder)
    assert len(load(folder / "all.npz")) == 35_313


def test_an_eraser_is_measured_by_its_own_concept_and_never_overwritten(folder: Path) -> None:
    race = ("-c", "race", "--save-eraser", "race.safetensors", "--measure", "none")
    unslant("debias", "-w", "linear", *race, cwd=folder)
    again = ("debias", "--apply", "race.safetensors", "--measure", "none")
    assert json_of(*again, "--json", cwd=folder)["subject"]["name"] == "race"
    done = unslant(*again, "-o", "race.safetensors", "--overwrite", cwd=folder, code=2)
    assert "both eraser to apply and vectors" in done.stderr
    assert Eraser.load(folder / "race.safetensors").expression == "linear"


def test_json_is_one_document_and_nothing_else(folder: Path) -> None:
    record = json_of(
        "debias", "some.txt", "-w", "linear", "--measure", "none", "--json", cwd=folder
    )
    assert record["treatment"]["movement"]["words"] == 8000


def test_without_an_output_it_says_that_nothing_was_kept(folder: Path) -> None:
    done = unslant("debias", "some.txt", "-w", "linear", "--measure", "none", cwd=folder)
    assert "not kept; add -o FILE" in done.stdout
    assert [path.name for path in folder.iterdir() if path.is_file()] == ["some.txt"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "unslant list methods"),
        (["-w", "hard", "--apply", "e.safetensors"], "not both"),
        (["-w", "hrad"], 'Did you mean "hard"'),
        (["-w", "hard", "-o", "some.txt"], "add --overwrite"),
        (["-w", "hard", "-o", "fair.docx"], "does not determine a format"),
        (["--apply", "some.txt"], "is not a fitted eraser"),
        (["--apply", "none.safetensors"], "does not exist"),
        (["-w", "hard", "--measure", "some", "-o", "x.txt"], "main"),
        (["-w", "linear", "-o", "x.txt", "--save-eraser", "x.txt"], "both vectors and eraser"),
        (["-w", "linear", "-o", "x.txt", "--html", "x.txt.json"], "must end in .html"),
        (["-w", "linear", "-o", "."], "is a folder"),
        (["-w", "linear", "-o", "none/x.txt"], "folder that does not exist"),
        (["-w", "linear", "-o", "x.txt", "--html", "none/x.html"], "does not exist"),
        (["-w", "random(k=-1)"], "must be at least 1"),
        (["-w", "linear | linear"], "linear on some.linear"),
        (["-w", "hard", "--missing", "fail"], "Words are missing from"),
        (["-w", "hard", "-c", "gendre"], 'Did you mean "gender"'),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(
    options: list[str], says: str, folder: Path
) -> None:
    before = (folder / "some.txt").read_bytes()
    done = unslant("debias", "some.txt", *options, cwd=folder, code=2)
    assert says in done.stderr
    assert done.stderr.count("Error:") == 1
    assert (folder / "some.txt").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["some.txt"]


def test_methods_lists_every_method_with_guarantees_and_source(folder: Path) -> None:
    listed = json_of("list", "methods", "--json", cwd=folder)
    names = [item["name"] for item in listed]
    assert names == [entry.name for entry in [*DEBIASERS, *TUNINGS]]
    assert all(item["cites"] and item["summary"] for item in listed)
    for item in listed:  # what trains a model guarantees nothing, and says when it misleads
        assert bool(item["guarantees"]) != (item["name"] in TUNINGS)
        assert item["misleads"]
    hard = next(item for item in listed if item["name"] == "hard")
    assert hard["parameters"] == {"subspace": "", "equalise": "", "keep": ""}
    table = unslant("list", "methods", cwd=folder).stdout
    assert all(item["name"] in table for item in listed)


def test_one_method_tells_all_about_itself(folder: Path) -> None:
    text = unslant("list", "methods", "hard", cwd=folder).stdout
    assert "Bolukbasi, Chang" in text
    assert "changed vectors have no component" in text
    text = " ".join(unslant("list", "methods", "context-debias", cwd=folder).stdout.split())
    assert "Kaneko and Bollegala (2021)" in text
    assert "alpha = 0.2" in text
    assert "text = …, which must be given" in text
    assert "It guarantees nothing" in text
    assert "When it misleads: It removes" in text
    assert unslant("list", "methods", "hrd", cwd=folder, code=2).stderr.count("Did you mean") == 1
