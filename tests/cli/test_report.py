"""``unslant export html`` as a newcomer runs it."""

import json
from pathlib import Path

import pytest

from tests.command_line import unslant
from tests.reports.conftest import PLAN
from unslant.cli.export import html as run
from unslant.core.errors import OutputError, UnslantError
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.run import run as computed
from unslant.studies.run.store import Store


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "plan.toml").write_text(PLAN)
    computed(read_plan(folder / "plan.toml"), Store(folder / "small"), InProcess())
    return folder / "small"


def test_a_study_becomes_a_page_with_a_name_of_its_own(study: Path, tmp_path: Path) -> None:
    said = unslant("export", "html", str(study), cwd=tmp_path).stdout
    assert "Report: unslant-report-small.html" in said
    text = (tmp_path / "unslant-report-small.html").read_text(encoding="utf-8")
    assert "This study is not complete" in text
    assert "WEAT 6" in text


def test_a_saved_probe_becomes_the_page_that_the_probe_writes(tmp_path: Path) -> None:
    asked = ("probe", "nli", "--set", "marked-attribute", "--contexts", "5", "--resamples", "10")
    record = unslant(*asked, "--html", "direct.html", "--json", cwd=tmp_path).stdout
    (tmp_path / "probe.json").write_text(record)
    run(tmp_path / "probe.json", tmp_path / "later.html")
    assert (tmp_path / "direct.html").read_bytes() == (tmp_path / "later.html").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("[1]", "is not a record"),
        ('{"format": 5}', "is not a record"),
        ('{"kind": "a poem"}', "is not a record"),
        ('{"format": "unslant record 4"}', '"unslant record 4", which this version of Unslant'),
        ('{"format": "unslant record 2"}', "Create the record again"),
        ('{"format": "unslant record 3"}', "is a damaged record"),
    ],
)
def test_what_is_not_a_record_is_refused_in_a_sentence(
    content: str | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UnslantError) as refused:
        run(path, tmp_path / "out.html")
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert not (tmp_path / "out.html").exists()


def test_a_place_that_cannot_be_written_to_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.cli.export.record_from", lambda *_: pytest.fail("work was done"))
    for name, said in (("a.pdf", "must end in .html"), ("no/such.html", "does not exist")):
        with pytest.raises(OutputError, match=said):
            run(tmp_path / "record.json", tmp_path / name)


def test_the_command_refuses_a_folder_without_a_study(tmp_path: Path) -> None:
    failed = unslant("export", "html", str(tmp_path), cwd=tmp_path, code=2)
    assert "holds no study" in failed.stderr


def test_a_record_that_was_changed_says_which_part_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"format": "unslant record 3", "about": "audit"}))
    with pytest.raises(UnslantError, match='the key "subject" is missing'):
        run(path, tmp_path / "out.html")
