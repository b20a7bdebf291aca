"""Records of every kind are read back as they were written; anything else is refused."""

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from scripts.record_schema import schema_of

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.read_record import read_record, record_from
from unslant.core.record import FORMAT, Record

FOLDER = Path(__file__).parents[1] / "golden" / "records"
EVERY = ("audit", "debiasing", "probe", "association", "study")


def plain(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", EVERY)
def test_a_record_is_written_as_it_was_read(name: str) -> None:
    record = read_record(FOLDER / f"{name}.json")
    written = json.loads(json.dumps(record.to_dict(), allow_nan=False))
    assert written == plain(name)
    assert record_from(written) == record
    jsonschema.validate(written, schema_of(Record, FORMAT))


def test_what_is_not_a_whole_record_is_refused_in_one_sentence() -> None:
    nothing: tuple[Any, ...] = ([], {}, {"format": 3}, {"kind": "unslant audit 2"})
    for given in nothing:
        with pytest.raises(FileFormatError, match="is not a record of Unslant"):
            record_from(given)
    with pytest.raises(FileFormatError, match="unslant record 99"):
        record_from({"format": "unslant record 99"})
    cut = plain("audit")
    del cut["subject"]
    with pytest.raises(DamagedFileError, match="subject"):
        record_from(cut, "a.json")
    wrong = plain("audit")
    wrong["results"][0]["now"]["value"] = "high"
    with pytest.raises(DamagedFileError, match=r"results\[0\]\.now\.value: expected"):
        record_from(wrong)
