"""A study as one record: complete or not, everything that is there and why the rest is not."""

import json
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.measurement import Measurement
from unslant.core.read_record import record_from
from unslant.core.record import Record
from unslant.core.study_record import StudyPart, StudyStatus
from unslant.measures.registry import MEASURES
from unslant.studies.answers import stored_rows, table
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.plan_folder import PlannedCell
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import record_of_cells, study_record

PLAN = """
name = "small"
about = "Three methods."
resources = { slice = "builtin" }
methods = { original = "", hard = "hard", random = "random" }

[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
DB = "direct-bias(neutral=professions)"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 5 }

[[matrix]]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("study")
    (where / "plan.toml").write_text(PLAN)
    with InProcess() as executor:
        run(read_plan(where / "plan.toml"), Store(where / "done"), executor)
    return where / "done"


def made(folder: Path, entries: int, results: int, text: str) -> Store:
    """A folder with a plan and some of its cells, whose numbers are made up."""
    folder.mkdir(exist_ok=True)
    (folder / "plan.toml").write_text(text)
    plan = read_plan(folder / "plan.toml")
    store = Store(folder / "study")
    store.save_plan(plan)
    index = [PlannedCell(label=cell.label, id=f"{n:04x}") for n, cell in enumerate(plan.cells)]
    store.save_index(index[:entries])
    for n, entry in enumerate(index[:results]):
        store.write(entry.id, result(entry, float(n)), {})
    return store


def result(entry: PlannedCell, value: float) -> dict[str, Any]:
    found = Measurement(value=value, metric="direct-bias", better="smaller").to_dict()
    inputs = {"method": "", "resource": {"sha256": "r"}, "concept": "c"}
    return {
        "id": entry.id,
        "label": list(entry.label),
        "inputs": inputs,
        "measurement": found,
    }


def part(record: Record) -> StudyPart:
    assert record.study is not None
    return record.study


def test_a_finished_study_has_every_number_with_its_words(folder: Path) -> None:
    record = study_record(folder)
    study = part(record)
    assert (record.about, record.subject.name, record.subject.about) == (
        "study",
        "small",
        "Three methods.",
    )
    assert study.plan.text == PLAN
    assert study.plan.methods == ("original", "hard", "random")
    assert study.plan.expressions == {"original": "", "hard": "hard", "random": "random"}
    assert study.status == StudyStatus(planned=9, done=9)
    assert study.table == table(stored_rows(Store(folder)))
    assert len(study.cells) == 9
    assert study.failures == () == record.left_out
    weat = study.cells[0]
    stored = Measurement.from_dict(Store(folder).read(weat.id)["measurement"])
    assert (weat.value, weat.interval, weat.p) == (stored.value, stored.interval, stored.p)
    assert study.word_sets[weat.words] == stored.words
    assert weat.used == sum(len(use.used) for use in stored.words) == 32
    neutral = next(cell for cell in study.cells if cell.measure == "DB")
    assert neutral.missing > 0  # the slice lacks some professions, and they are listed
    listed = [word for use in study.word_sets[neutral.words] for word in use.missing]
    assert len(listed) == neutral.missing


def test_the_glossary_has_metrics_and_scores_of_probes(folder: Path) -> None:
    glossary = study_record(folder).glossary
    assert glossary.keys() == {"weat", "direct-bias", "marked-error"}
    assert glossary["weat"].misleads == MEASURES.entry("weat").facts.scores["weat"].misleads
    assert glossary["marked-error"].role == "probe"


def test_without_quality_a_bias_of_vectors_stands_against_one_of_answers(folder: Path) -> None:
    front = part(study_record(folder)).front
    assert front is not None
    assert (front.x, front.y, front.sides) == ("WEAT 6", "E", "two biases")
    chosen = part(study_record(folder, front=("DB", "E"))).front
    assert chosen is not None
    assert [item.label for item in chosen.measures] == ["DB", "E"]


def test_measures_for_the_front_that_are_none_are_refused(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "DB"'):
        study_record(folder, front=("DBB", "E"))
    with pytest.raises(UnslantError, match="two measures, not 1"):
        study_record(folder, front=("DB",))


def test_a_study_that_is_not_done_says_how_far_it_is(tmp_path: Path) -> None:
    store = made(tmp_path / "half", 9, 4, PLAN)
    entries = store.index()
    store.fail(entries[5].id, "no such word", entries[5].label)
    study = part(study_record(store.folder))
    assert study.status == StudyStatus(planned=9, done=4, failed=1, missing=4)
    assert not study.status.is_complete
    assert len(study.cells) == 4
    [failure] = study.failures
    assert (failure.message, failure.label) == ("no such word", entries[5].label)
    assert study.table is not None
    assert "not done yet" in study.table.notes[0]


def test_what_too_few_rows_do_not_allow_is_left_out_with_its_reason(tmp_path: Path) -> None:
    text = PLAN.replace(', hard = "hard", random = "random"', "").replace("DB =", '"D B" =')
    record = study_record(made(tmp_path / "one", 3, 3, text).folder)
    assert part(record).correlations is None
    [why] = [item.why for item in record.left_out if item.what == "correlations"]
    assert "3 are needed" in why
    assert part(record).front is not None
    alone = text.split('"D B"')[0] + "\n[[matrix]]\n"
    record = study_record(made(tmp_path / "alone", 1, 1, alone).folder)
    assert part(record).front is None
    assert {item.what for item in record.left_out} == {"correlations", "front"}


def test_before_the_first_run_there_is_a_table_of_what_is_planned(tmp_path: Path) -> None:
    study = part(study_record(made(tmp_path / "new", 0, 0, PLAN).folder))
    assert study.cells == ()
    assert study.status.missing == 9
    assert study.table is not None
    assert len(study.table.rows) == 3


def test_results_outlive_the_plan_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    store = made(tmp_path / "lost", 9, 9, PLAN)
    (store.folder / "plan.toml").write_text("name = 1")
    record = study_record(store.folder)
    assert part(record).plan.text is None
    assert len(part(record).cells) == 9
    assert part(record).plan.measures == ("WEAT 6", "DB", "E")
    assert any(item.what == "the text of the plan" for item in record.left_out)


def test_a_study_whose_vectors_and_concept_are_gone_is_still_shown(tmp_path: Path) -> None:
    where = tmp_path / "own"
    where.mkdir()
    own = files("unslant.concepts") / "data" / "concepts" / "gender.toml"
    (where / "own.toml").write_text(own.read_text())
    store = made(where, 9, 9, f'{PLAN}concept = "own.toml"\n')
    (where / "own.toml").unlink()
    with pytest.raises(UnslantError, match=r"own\.toml"):
        store.plan()
    record = study_record(store.folder)
    assert part(record).plan.text is not None
    assert part(record).plan.expressions == {"original": "", "hard": "hard", "random": "random"}
    assert record.left_out == ()


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match="holds no study"):
        study_record(tmp_path)


def test_a_run_that_ends_writes_the_record_that_its_cells_make(folder: Path) -> None:
    written = json.loads((folder / "record.json").read_text())
    assert record_from(written) == record_of_cells(Store(folder)) == study_record(folder)


def test_looking_at_a_study_with_a_record_opens_neither_plan_nor_cells(
    folder: Path, tmp_path: Path, opened: list[Path]
) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(folder / "record.json", alone)
    assert study_record(alone) == study_record(folder)
    assert not [path for path in opened if path.name != "record.json"]


def test_without_a_record_each_cell_is_read_once(folder: Path, opened: list[Path]) -> None:
    study = part(record_of_cells(Store(folder)))
    cells = [path for path in opened if path.parent.parent.name == "cells"]
    assert len({cell.id for cell in study.cells}) == len(set(cells)) == len(cells) > 0


@pytest.mark.parametrize("change", ["write", "fail", "set aside", "plan"])
def test_whatever_is_written_to_the_folder_removes_the_record(
    change: str, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    store = Store(tmp_path / "copy")
    entry = store.index()[0]
    assert store.has_record
    if change == "write":
        store.write(entry.id, store.read(entry.id), {})
    elif change == "fail":
        store.fail(entry.id, "no such word", entry.label)
    elif change == "set aside":
        store.set_aside(entry.id)
    else:
        store.save_plan(replace(store.plan(), text=f"{PLAN}\n"))
    assert not store.has_record


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every file that is read from now on."""
    found: list[Path] = []
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        found.append(path)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    return found
