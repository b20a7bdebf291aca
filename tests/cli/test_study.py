"""``unslant study`` as a newcomer runs it."""

import csv
import io
import json
import random
import shutil
from pathlib import Path

import pytest

from tests.cli.test_commands import json_of, unslant
from unslant.studies.grid.single import found_cell, recomputed
from unslant.studies.grid.store import Store

PLAN = """
name = "small"

[resources]
slice = "builtin"

[methods]
original = ""
linear = "linear"
hard = "hard"
random = "random"

[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
"WEAT 8" = { measure = "weat", test = "science-arts" }
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 5 }

[[matrix]]
concept = "gender"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    (folder / "plan.toml").write_text(PLAN)
    done = unslant("study", "run", "plan.toml", "-o", "done", cwd=folder)
    assert "16 cells computed, 0 there before, 0 failed, of 16." in done.stdout
    return folder


def test_done_cells_are_not_computed_again(study: Path) -> None:
    again = unslant("study", "run", "plan.toml", "-o", "done", cwd=study).stdout
    assert "0 cells computed, 16 there before" in again
    assert (
        "0 cells computed, 16 there before" in unslant("study", "resume", "done", cwd=study).stdout
    )
    assert json_of("study", "status", "done", "--json", cwd=study)["is_complete"]


def test_the_table_comes_in_every_format(study: Path) -> None:
    shown = unslant("study", "table", "done", cwd=study).stdout
    assert "WEAT 7" in " ".join(shown.split())
    lines = list(
        csv.reader(
            io.StringIO(unslant("study", "table", "done", "--format", "csv", cwd=study).stdout)
        )
    )
    assert len(lines) >= 5
    assert "| slice" in unslant("study", "table", "done", "--format", "markdown", cwd=study).stdout
    assert (
        "\\begin{tabular}"
        in unslant("study", "table", "done", "--format", "latex", cwd=study).stdout
    )
    record = json_of("study", "table", "done", "--format", "json", cwd=study)
    assert len(record["rows"]) == 4


def test_correlations_say_how_wide_they_are(study: Path) -> None:
    shown = " ".join(unslant("study", "correlate", "done", "--with", "E", cwd=study).stdout.split())
    assert "too few rows for an interval" in shown
    record = json_of("study", "correlate", "done", "--format", "json", cwd=study)
    assert len(record["pairs"]) == 2 * 6
    assert all(pair["p"] is None or pair["p"] > 0 for pair in record["pairs"])


def test_a_ranking_names_the_front(study: Path) -> None:
    record = json_of(
        *("study", "rank", "done", "--on", "E", "--on", "WEAT 6", "--format", "json"), cwd=study
    )
    assert record["order"][0]["front"] == 1


def test_ten_cells_computed_again_alone_are_equal(study: Path) -> None:
    store = Store(study / "done")
    entries = random.Random(0).sample(store.index(), 10)
    for entry in entries:
        assert recomputed(store, found_cell(store, entry.id)) == store.read(entry.id)
    name = entries[0].id
    shown = unslant("study", "show", "done", name, cwd=study)
    assert json.loads(shown.stdout)["id"] == name
    assert f"unslant study recompute done {name}" in shown.stderr
    again = unslant("study", "recompute", "done", name, cwd=study).stdout
    assert "(the same as the record" in again


def test_an_altered_record_is_found_out(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "done", tmp_path / "done")
    name = "slice/hard/WEAT 6"
    record = json.loads(unslant("study", "show", "done", name, cwd=tmp_path).stdout)
    [path] = (tmp_path / "done" / "cells").rglob(f"{record['id']}.json")
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"value":', b'"value" :', 1))
    assert "damaged" in unslant("study", "status", "done", cwd=tmp_path).stdout.lower()


def test_two_studies_are_compared(study: Path, tmp_path: Path) -> None:
    same = unslant("study", "diff", str(study / "done"), str(study / "done"), cwd=tmp_path).stdout
    assert same
    (tmp_path / "plan.toml").write_text(PLAN.replace('hard = "hard"', 'hard = "hard | misp"'))
    unslant("study", "run", "plan.toml", "-o", "other", cwd=tmp_path)
    changed = unslant("study", "diff", str(study / "done"), "other", cwd=tmp_path, code=1).stdout
    assert "hard" in changed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("table", "nowhere"), "holds no study"),
        (("run", "plan.toml", "-o", "x", "--workers", "0"), "at least 1"),
        (("run", "plan.toml", "-o", "x", "--workers", "2", "--dask", "tcp://x"), "not both"),
        (("run", "nowhere.toml", "-o", "x"), "nowhere.toml"),
        (("show", "done", "ffff"), "No cell of done"),
        (("table", "done", "--format", "xml"), "No format is called"),
        (("table", "done", "--digits", "99"), "0 to 12"),
        (("rank", "done", "--better", "E"), "as in"),
        (("correlate", "done", "--with", "F"), "F"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    study: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = unslant("study", *arguments, cwd=study, code=2)
    assert words in " ".join(done.stderr.split())


def test_a_failed_cell_is_named_and_tried_again_only_when_asked(tmp_path: Path) -> None:
    plan = PLAN.replace('linear = "linear"', 'broken = "linear | linear"')
    (tmp_path / "plan.toml").write_text(plan)
    run = ("study", "run", "plan.toml", "-o", "done")
    assert "4 failed" in unslant(*run, cwd=tmp_path, code=1).stdout
    shown = unslant("study", "status", "done", cwd=tmp_path).stdout
    assert "Failed: slice/broken/WEAT 6" in shown
    assert "0 cells computed" in unslant(*run, cwd=tmp_path, code=1).stdout
    assert "failed" in unslant("study", "table", "done", cwd=tmp_path).stdout
    again = unslant(*run, "--retry", cwd=tmp_path, code=1).stdout
    assert "0 cells computed, 12 there before, 4 failed" in again
