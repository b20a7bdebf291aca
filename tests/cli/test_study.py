"""``unslant study`` as a newcomer runs it."""

import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import json_of, unslant
from tests.tallies import Tally
from unslant.core.read_record import read_record
from unslant.studies.run.single import found_cell, recomputed
from unslant.studies.run.store import Store, canonical, packed

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
    verdict = read_record(folder / "done" / "record.json").conclusion
    assert verdict is not None
    assert verdict.sentence in " ".join(done.stdout.split())
    return folder


def test_done_cells_are_not_computed_again(study: Path) -> None:
    again = unslant("study", "run", "plan.toml", "-o", "done", cwd=study).stdout
    assert "0 cells computed, 16 there before" in again
    assert (
        "0 cells computed, 16 there before" in unslant("study", "resume", "done", cwd=study).stdout
    )
    assert json_of("study", "status", "done", "--json", cwd=study)["is_complete"]
    told = json_of("study", "resume", "done", "--json", cwd=study)
    assert (
        told["verdict"]
        == json.loads((study / "done" / "record.json").read_text(encoding="utf-8"))["conclusion"][
            "sentence"
        ]
    )


def test_the_table_comes_in_every_format(study: Path) -> None:
    shown = unslant("export", "table", "done", cwd=study).stdout
    assert "WEAT 6 WEAT 7" in " ".join(shown.split())
    assert "→0" in shown
    lines = list(
        csv.reader(
            io.StringIO(unslant("export", "table", "done", "--format", "csv", cwd=study).stdout)
        )
    )
    assert len(lines) >= 5
    assert "| slice" in unslant("export", "table", "done", "--format", "markdown", cwd=study).stdout
    assert (
        "\\begin{tabular}"
        in unslant("export", "table", "done", "--format", "latex", cwd=study).stdout
    )
    record = json_of("export", "table", "done", "--format", "json", cwd=study)
    assert len(record["rows"]) == 4


def test_correlations_say_how_wide_they_are(study: Path) -> None:
    shown = " ".join(unslant("study", "correlate", "done", "--on", "E", cwd=study).stdout.split())
    assert "too few rows for an interval" in shown
    record = json_of("study", "correlate", "done", "--format", "json", cwd=study)
    assert len(record["pairs"]) == 2 * 6
    assert all(pair["p"] is None or pair["p"] > 0 for pair in record["pairs"])


def test_a_ranking_names_the_front(study: Path) -> None:
    record = json_of(
        *("study", "rank", "done", "--on", "E", "--on", "WEAT 6", "--format", "json"), cwd=study
    )
    assert record["order"][0]["front"] == 1


def test_ten_cells_computed_again_alone_are_equal(study: Path, tally: Tally) -> None:
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
    tally(len(entries))


def test_an_altered_record_is_found_out(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "done", tmp_path / "done")
    name = "slice/hard/WEAT 6"
    record = json.loads(unslant("study", "show", "done", name, cwd=tmp_path).stdout)
    [path] = (tmp_path / "done" / "cells").rglob(f"{record['id']}.json")
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"value":', b'"value" :', 1))
    assert "damaged" in unslant("study", "status", "done", cwd=tmp_path).stdout.lower()
    record.pop("times")
    record["measurement"]["value"] += 1e-9
    # Whoever forges the seal too is found out by recompute.
    path.write_bytes(packed(canonical(record), {}))
    said = unslant("study", "recompute", "done", name, cwd=tmp_path, code=1).stdout
    assert "(NOT the same as the record" in said
    assert "What differs of its measurement: value." in said


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
        (("export", "table", "nowhere"), "holds no study"),
        (("study", "run", "plan.toml", "-o", "x", "--workers", "0"), "at least 1"),
        (
            ("study", "run", "plan.toml", "-o", "x", "--workers", "2", "--dask", "tcp://x"),
            "not both",
        ),
        (("study", "run", "nowhere.toml", "-o", "x"), "nowhere.toml"),
        (("study", "show", "done", "ffff"), "No cell of done"),
        (("study", "show", "nowhere", "ffff"), "holds no study"),
        (("export", "table", "done", "--json", "--format", "csv"), "not both"),
        (("export", "table", "done", "--format", "xml"), "No format is called"),
        (("export", "table", "done", "--digits", "99"), "0 to 12"),
        (("study", "rank", "done", "--better", "E"), "as in"),
        (("study", "correlate", "done", "--on", "F"), "F"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    study: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = unslant(*arguments, cwd=study, code=2)
    assert words in " ".join(done.stderr.split())


def test_a_failed_cell_is_named_and_tried_again_only_when_asked(tmp_path: Path) -> None:
    plan = PLAN.replace('linear = "linear"', 'broken = "linear | linear"')
    (tmp_path / "plan.toml").write_text(plan)
    run = ("study", "run", "plan.toml", "-o", "done")
    assert "4 failed" in unslant(*run, cwd=tmp_path, code=1).stdout
    shown = unslant("study", "status", "done", cwd=tmp_path).stdout
    assert "Failed: slice/broken/WEAT 6" in shown
    assert "0 cells computed" in unslant(*run, cwd=tmp_path, code=1).stdout
    assert "failed" in unslant("export", "table", "done", cwd=tmp_path).stdout
    again = unslant(*run, "--retry", cwd=tmp_path, code=1).stdout
    assert "0 cells computed, 12 there before, 4 failed" in again


def test_every_answer_is_one_json_document_when_asked(study: Path) -> None:
    for kind, *arguments in (
        ("table", "export", "table", "done"),
        ("correlation", "study", "correlate", "done", "--on", "E"),
        ("difference", "study", "diff", "done", "done"),
    ):
        assert json_of(*arguments, "--json", cwd=study)["answer"] == kind


def test_the_directions_of_the_help_are_understood(study: Path) -> None:
    directions = ("--better", "E=smaller", "--better", "WEAT 6=0")
    record = json_of("study", "rank", "done", *directions, "--json", cwd=study)
    assert {"label": "WEAT 6", "better": "closer to 0"} in record["measures"]


def test_cells_that_failed_alike_are_told_in_one_line(tmp_path: Path) -> None:
    plan = PLAN.replace('slice = "builtin"', 'slice = "gone/vectors.txt"')
    (tmp_path / "plan.toml").write_text(plan)
    done = unslant("study", "run", "plan.toml", "-o", "my study", cwd=tmp_path, code=1).stdout
    assert "Why: unslant study status 'my study'\n" in done
    _, *why = unslant("study", "status", "my study", cwd=tmp_path, COLUMNS="60").stdout.splitlines()
    assert len(why) == 1
    assert why[0].startswith("Failed: slice/original/WEAT 6/gender/0 and 15 more: ")
    name = "slice/hard/E/gender/0"
    said = unslant("study", "show", "my study", name, cwd=tmp_path, code=2).stderr
    assert "vectors.txt cannot be read" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize(("form", "unbuffered"), [((), ""), (("--json",), "1")])
def test_a_full_disk_is_told_in_one_sentence(
    study: Path, form: tuple[str, ...], unbuffered: str
) -> None:
    arguments = ("export", "table", "done", *form)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from unslant.cli.app import main; main()", *arguments],
            cwd=study,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (2, "Error: Cannot write: No space left on device.\n")


def test_a_stopped_run_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("contexts = 5", "contexts = 500"))
    command = "from unslant.studies.run import run; import unslant.cli.app as app\n"
    command += "def stop(*_, **__): raise KeyboardInterrupt\nrun.run = stop\napp.main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "study", "run", "plan.toml", "-o", "a b"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130
    assert "Continue with: unslant study resume 'a b'\n" in done.stderr


def test_a_study_of_two_concepts_answers_for_each_of_them(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[resources]\nslice = "builtin"\n'
        '[methods]\noriginal = ""\nlinear = "linear"\ninlp = "inlp"\nrandom = "random"\n'
        "[measures]\n"
        'DB = "direct-bias"\n'
        'WEAT = { measure = "weat(random_lists=0)", test = "*" }\n'
        'near = "neighbours-kept"\n'
        '[[matrix]]\nconcepts = ["gender", "religion"]\n'
    )
    unslant("study", "run", "plan.toml", "-o", "done", cwd=tmp_path)
    keep = ("--keep", "near=0.5", "--json")
    found = json_of("study", "best", "done", "--on", "DB", *keep, cwd=tmp_path)
    assert {row["concept"] for row in found["rows"]} == {"gender", "religion"}
    found = json_of("study", "best", "done", "--on", "WEAT: math-arts", *keep, cwd=tmp_path)
    assert {row["concept"] for row in found["rows"]} == {"gender"}
    found = json_of("study", "correlate", "done", "--on", "DB", "--json", cwd=tmp_path)
    assert {pair["second"] for pair in found["pairs"]} == {"DB (gender)", "DB (religion)"}
    shown = unslant("study", "correlate", "done", "--on", "DB (gender)", cwd=tmp_path).stdout
    assert "with DB (gender)" in " ".join(shown.split())
    found = json_of("study", "rank", "done", "--on", "DB", "--json", cwd=tmp_path)
    assert [each["label"] for each in found["measures"]] == ["DB (gender)", "DB (religion)"]
