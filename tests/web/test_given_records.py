"""Records and studies that the server is started with."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.web.serving import Page, guarded
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.studies.audit import audit
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.vectors import WordVectors
from unslant.web.opened import quick_jobs
from unslant.web.view import shown

GOLDEN = Path(__file__).parents[1] / "golden" / "records"
PLAN = """
name = "small"
[resources]
slice = "builtin"
[methods]
original = ""
linear = "linear"
[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
[[matrix]]
concept = "gender"
"""


def test_a_record_that_was_given_is_shown(tmp_path: Path, glove: WordVectors) -> None:
    gender = concept("gender")
    path = audit(glove, gender, jobs=quick_jobs(gender)).save(tmp_path / "kept.json")
    given = Page(guarded(tmp_path, [str(path)]))
    assert [item["name"] for item in given.get("/api/start").json()["given"]] == ["kept.json"]
    assert given.result(kind="record", record="r1")["sentences"]


def test_what_a_record_warns_of_is_shown_before_its_verdict_not_among_notes(
    tmp_path: Path, glove: WordVectors
) -> None:
    gender = concept("gender")
    found = audit(glove.head(5_000), gender, jobs=quick_jobs(gender)).record
    warned = replace(found, warnings=("another \u202elanguage",))
    view = shown(warned)
    assert view["warnings"] == ["another \\u202elanguage"]
    assert view["notes"] == shown(found)["notes"]


def test_a_study_is_shown_and_each_cell_leads_to_its_record(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    run(read_plan(tmp_path / "plan.toml"), Store(tmp_path / "done"))
    page = Page(guarded(tmp_path, [str(tmp_path / "done")]))
    shown = page.result(kind="record", record="s1")
    [table] = shown["tables"]
    cells = [cell for row in table["rows"] for cell in row if isinstance(cell, dict)]
    assert len(cells) == 4
    for cell in cells:
        record = page.get(f"/api/cells/s1/{cell['cells'][0]}").json()
        assert f"{record['measurement']['value']:.3f}".replace("-", "−") == cell["text"]
    for path in ("s1/" + "0" * 16, f"s2/{cells[0]['cells'][0]}", "s1/plan"):
        assert page.get(f"/api/cells/{path}").status == 404


def test_a_study_that_has_grown_is_shown_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    plan, store = read_plan(tmp_path / "plan.toml"), Store(tmp_path / "done")
    run(plan, store)
    page = Page(guarded(tmp_path, [str(tmp_path / "done")]))
    first = page.job(kind="record", record="s1")
    assert page.job(kind="record", record="s1")["id"] == first["id"]
    gone = next((tmp_path / "done" / "cells").glob("*/*.json"))
    gone.unlink()
    assert page.job(kind="record", record="s1")["id"] != first["id"]


def test_a_record_that_lacks_something_or_is_gone_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text((GOLDEN / "association.json").read_text())
    page = Page(guarded(tmp_path, [str(path)]))
    path.write_text('{"format": "unslant record 3", "results": []}')
    assert "is a damaged record" in page.job(kind="record", record="r1")["error"]
    path.unlink()
    assert "cut.json does not exist" in page.job(kind="record", record="r1")["error"]


def test_what_is_no_record_is_refused_when_the_server_starts(tmp_path: Path) -> None:
    texts = (
        "{",
        "[]",
        '{"format": 3}',
        '{"format": ["x"]}',
        '{"format": "other"}',
        '{"kind": "unslant cell 1"}',
    )
    for text in texts:
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(
            UnslantError, match=r"is not a record|cannot be read as JSON|cannot read"
        ):
            guarded(tmp_path, [str(tmp_path / "x.json")])
    with pytest.raises(UnslantError):
        guarded(tmp_path, [str(tmp_path)])
