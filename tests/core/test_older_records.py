"""Records of earlier versions still open, and keep their numbers."""

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from scripts.record_schema import schema_of

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.older_records.parts import measurement_of
from unslant.core.plain import to_plain
from unslant.core.read_record import read_record, record_from
from unslant.core.record import FORMAT, Record

FOLDER = Path(__file__).parents[1] / "golden" / "records"
MEASURED = ("audit-2", "debiasing-2", "probe-1")
EVERY = (*MEASURED, "association-1", "study-1")


def plain(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", EVERY)
def test_an_older_record_opens_and_is_written_as_one_of_today(name: str) -> None:
    record = read_record(FOLDER / f"{name}.json")
    written = json.loads(json.dumps(record.to_dict(), allow_nan=False))
    assert written["format"] == FORMAT
    assert record_from(written) == record
    jsonschema.validate(written, schema_of(Record, FORMAT))


@pytest.mark.parametrize("name", MEASURED)
def test_values_intervals_and_words_are_those_of_the_file(name: str) -> None:
    older, record = plain(name), record_from(plain(name))
    assert len(record.results) == len(older["measurements"]) > 0
    for item, result in zip(older["measurements"], record.results, strict=True):
        now = result.now
        assert (now.metric, now.title, now.value) == (item["metric"], item["title"], item["value"])
        low_high = (item["interval"]["low"], item["interval"]["high"]) if item["interval"] else None
        assert (now.interval and (now.interval.low, now.interval.high)) == low_high
        assert (now.p and now.p.value) == (item["p"] and item["p"]["value"])
        assert [list(use.used) for use in now.words] == [use["used"] for use in item["words"]]
        assert list(now.details.values()) == list(item["details"].values())
        assert not any(" " in key for key in now.details)
        assert not any(" " in key for point in now.points for key in point)


def test_a_probe_keeps_its_changes_and_controls() -> None:
    older, record = plain("probe-1"), record_from(plain("probe-1"))
    for place, result in enumerate(record.results):
        change, control = older["changes"][place], older["controls"][place]
        assert result.before is not None
        assert result.before.value == older["before"][place]["value"]
        assert result.change is not None
        assert result.change.percent == change["value"]
        found = result.change.percent_interval
        assert (found and found.low) == (change["interval"] and change["interval"]["low"])
        if control["value"] is not None:
            assert result.control is not None
            assert result.control.mean == control["details"]["mean of the controls"]
            assert list(result.control.values) == [point["value"] for point in control["points"]]


def test_a_comparison_keeps_what_was_done_and_its_corrections() -> None:
    older, record = plain("debiasing-2"), record_from(plain("debiasing-2"))
    assert record.treatment is not None
    assert record.treatment.expression == older["debiasing"]["expression"]
    assert record.treatment.movement is not None
    moved = older["debiasing"]["movement"]
    assert record.treatment.movement.mean_degrees == moved["mean_degrees"]
    [holm] = older["corrections"]["weat"]["holm"].values()
    assert [it.corrected.holm for it in record.results if it.corrected] == [holm]


def test_an_association_keeps_its_words() -> None:
    [contrast] = plain("association-1")["contrasts"]
    record = record_from(plain("association-1"))
    [exhibit] = record.exhibits
    assert exhibit.kind == "points"
    values = [item["value"] for item in contrast["words"]]
    assert [point.x for point in exhibit.points] == [*values, contrast["mean"]["value"]]


def test_the_measurement_of_an_older_cell_gets_ids_as_keys() -> None:
    found = measurement_of(plain("cell-1")["measurement"])
    assert found.value == plain("cell-1")["measurement"]["value"]
    assert "difference-of-mean-associations" in found.details


def test_what_is_not_a_whole_record_is_refused_in_one_sentence() -> None:
    nothing: tuple[Any, ...] = ([], {}, {"kind": 3})
    for given in nothing:
        with pytest.raises(FileFormatError, match="is not a record of Unslant"):
            record_from(given)
    with pytest.raises(FileFormatError, match="unslant audit 99"):
        record_from({"kind": "unslant audit 99"})
    cut = plain("audit-2")
    del cut["concept"]
    with pytest.raises(DamagedFileError, match="concept"):
        record_from(cut, "a.json")
    wrong = record_from(plain("audit-2")).to_dict()
    wrong["results"][0]["now"]["value"] = "high"
    with pytest.raises(DamagedFileError, match=r"results\[0\]\.now\.value: expected"):
        record_from(wrong)


def test_a_study_keeps_its_table_front_and_cells() -> None:
    older, record = plain("study-1"), record_from(plain("study-1"))
    study = record.study
    assert study is not None
    assert to_plain(study.table) == older["table"]
    assert to_plain(study.front) == older["front"]
    assert (study.status.is_complete, str(study.status)) == (
        older["status"]["is_complete"],
        older["status"]["says"],
    )
    assert [cell.value for cell in study.cells] == [cell["value"] for cell in older["cells"]]
    assert not any(" " in key for cell in study.cells for key in cell.details)
    assert record.subject.sha256 == older["plan"]["sha256"]
