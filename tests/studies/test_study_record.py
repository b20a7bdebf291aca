"""A study as one record: complete or not, everything that is there and why the rest is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.measures.registry import MEASURES
from unslant.studies.answers import stored_rows, table
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.executors import in_process
from unslant.studies.run.planfolder import Entry
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import Study, study_record

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
    with in_process() as executor:
        run(read_plan(where / "plan.toml"), Store(where / "done"), executor)
    return where / "done"


def made(folder: Path, entries: int, results: int, text: str) -> Store:
    """A folder with a plan and some of its cells, whose numbers are made up."""
    folder.mkdir()
    (folder / "plan.toml").write_text(text)
    plan = read_plan(folder / "plan.toml")
    store = Store(folder / "study")
    store.save_plan(plan)
    index = [Entry(label=cell.label, id=f"{n:04x}") for n, cell in enumerate(plan.cells)]
    store.save_index(index[:entries])
    for n, entry in enumerate(index[:results]):
        store.write(entry.id, result(entry, float(n)), {})
    return store


def result(entry: Entry, value: float) -> dict[str, Any]:
    from unslant.core.measurement import Measurement

    found = Measurement(value=value, metric="direct-bias", better="smaller").to_dict()
    inputs = {"method": "", "resource": {"sha256": "r"}, "concept": "c"}
    return {
        "id": entry.id,
        "label": list(entry.label),
        "inputs": inputs,
        "measurement": found,
    }


def test_a_finished_study_has_every_number_with_its_words(folder: Path) -> None:
    study = study_record(folder)
    record = study.older
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["kind"] == "unslant study 1"
    assert record["plan"]["name"] == "small"
    assert record["plan"]["text"] == PLAN
    assert record["plan"]["methods"] == ["original", "hard", "random"]
    assert record["plan"]["expressions"] == {"original": "", "hard": "hard", "random": "random"}
    assert record["status"]["is_complete"]
    assert record["status"]["planned"] == 9
    assert record["table"] == json.loads(json.dumps(table(stored_rows(Store(folder)))))
    assert len(record["cells"]) == 9
    assert record["failures"] == [] == record["left_out"]
    weat = record["cells"][0]
    stored = Store(folder).read(weat["id"])["measurement"]
    assert (weat["value"], weat["interval"], weat["p"]) == (
        stored["value"],
        stored["interval"],
        stored["p"],
    )
    assert "points" not in weat
    assert record["word_sets"][weat["words"]] == stored["words"]
    assert weat["used"] == sum(len(use["used"]) for use in stored["words"]) == 32
    neutral = next(cell for cell in record["cells"] if cell["measure"] == "DB")
    assert neutral["missing"] > 0  # the slice lacks some professions, and they are listed
    listed = [word for use in record["word_sets"][neutral["words"]] for word in use["missing"]]
    assert len(listed) == neutral["missing"]


def test_the_measurements_can_be_had_back(folder: Path) -> None:
    study = study_record(folder)
    stored = Store(folder).read(study.older["cells"][0]["id"])["measurement"]
    first = study.measurements[0]
    assert first.value == stored["value"]
    assert [list(words) for words in first.effective_words] == [
        use["used"] for use in stored["words"]
    ]


def test_the_glossary_has_metrics_and_measures_of_probes(folder: Path) -> None:
    measures = study_record(folder).older["measures"]
    assert measures.keys() == {"weat", "direct-bias", "marked-error"}
    assert measures["weat"]["misleads"] == MEASURES.entry("weat").facts.scores["weat"].misleads
    assert measures["marked-error"]["takes"] == "probe"


def test_without_quality_a_bias_of_vectors_stands_against_one_of_answers(folder: Path) -> None:
    front = study_record(folder).older["front"]
    assert (front["x"], front["y"], front["sides"]) == ("WEAT 6", "E", "two biases")
    chosen = study_record(folder, front=("DB", "E")).older["front"]
    assert [item["label"] for item in chosen["measures"]] == ["DB", "E"]


def test_measures_for_the_front_that_are_none_are_refused(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "DB"'):
        study_record(folder, front=("DBB", "E"))
    with pytest.raises(UnslantError, match="two measures, not 1"):
        study_record(folder, front=("DB",))


def test_a_study_that_is_not_done_says_how_far_it_is(tmp_path: Path) -> None:
    store = made(tmp_path / "half", 9, 4, PLAN)
    entries = store.index()
    store.fail(entries[5].id, "no such word", entries[5].label)
    record = study_record(store.folder).older
    status = record["status"]
    assert not status["is_complete"]
    counts = [status[name] for name in ("planned", "done", "failed", "missing")]
    assert counts == [9, 4, 1, 4]
    assert len(record["cells"]) == 4
    [failure] = record["failures"]
    assert failure["message"] == "no such word"
    assert failure["label"] == list(entries[5].label)
    assert "not done yet" in record["table"]["notes"][0]


def test_what_too_few_rows_do_not_allow_is_left_out_with_its_reason(tmp_path: Path) -> None:
    text = PLAN.replace(', hard = "hard", random = "random"', "").replace("DB =", '"D B" =')
    record = study_record(made(tmp_path / "one", 3, 3, text).folder).older
    assert record["correlations"] is None
    [why] = [item["why"] for item in record["left_out"] if item["what"] == "correlations"]
    assert "3 are needed" in why
    assert record["front"] is not None
    alone = text.split('"D B"')[0] + "\n[[matrix]]\n"
    record = study_record(made(tmp_path / "alone", 1, 1, alone).folder).older
    assert record["front"] is None
    assert {item["what"] for item in record["left_out"]} == {"correlations", "front"}


def test_before_the_first_run_there_is_a_table_of_what_is_planned(tmp_path: Path) -> None:
    record = study_record(made(tmp_path / "new", 0, 0, PLAN).folder).older
    assert record["cells"] == []
    assert record["status"]["missing"] == 9
    assert len(record["table"]["rows"]) == 3


def test_results_outlive_the_plan_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    store = made(tmp_path / "lost", 9, 9, PLAN)
    (store.folder / "plan.toml").write_text("name = 1")
    record = study_record(store.folder).older
    assert record["plan"]["text"] is None
    assert len(record["cells"]) == 9
    assert record["plan"]["measures"] == ["WEAT 6", "DB", "E"]
    assert any(item["what"] == "the text of the plan" for item in record["left_out"])


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match="holds no study"):
        study_record(tmp_path)


def test_a_record_is_written_as_json(tmp_path: Path) -> None:
    store = made(tmp_path / "kept", 9, 9, PLAN)
    path = Study(study_record(store.folder).older).save(tmp_path / "study.json")
    assert json.loads(path.read_text())["kind"] == "unslant study 1"


def test_each_cell_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        if path.parent.parent.name == "cells":
            reads.append(path)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    record = study_record(folder).older
    assert len({cell["id"] for cell in record["cells"]}) == len(set(reads)) == len(reads) > 0
