"""``unslant export figures``: what it writes, names and refuses."""

import json
from pathlib import Path

import pytest

from tests.reports.figures.made_records import audit_of, lean, weat
from unslant.cli.export import figures as run
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnknownNameError

RECORD = audit_of(
    [lean([("nurse", 0.6, 0.2), ("coach", 0.1, 0.5)]), weat("one", 1.5, 0.9, 1.8, 0.01)]
)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(RECORD.to_dict()))
    return path


def test_every_figure_is_written_in_every_form_and_named(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    run(record, folder, forms="svg, PNG,json,pdf", theme="dark")
    names = {path.name for path in folder.iterdir()}
    assert names == {
        f"{name}.{form}"
        for name in ("scatter-things", "extremes-things", "forest-weat")
        for form in ("svg", "png", "json", "pdf")
    }
    assert (folder / "forest-weat.png").read_bytes()[1:4] == b"PNG"
    assert (folder / "forest-weat.pdf").read_bytes()[:4] == b"%PDF"
    assert "one" in (folder / "forest-weat.svg").read_text()
    assert (
        json.loads((folder / "forest-weat.json").read_text())["config"]["background"] == "#16181d"
    )
    said = capsys.readouterr().out
    assert all(name in said for name in ("forest-weat.svg", "scatter-things.pdf"))


def test_the_same_record_gives_the_same_bytes(record: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(record, tmp_path / name, forms="svg,png")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_one_figure_can_be_asked_for_and_told_as_json(
    record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(record, tmp_path / "out", forms="svg", only=["forest-weat"], as_json=True)
    [figure] = json.loads(capsys.readouterr().out)["figures"]
    assert figure["name"] == "forest-weat"
    assert figure["files"] == [str(tmp_path / "out" / "forest-weat.svg")]
    assert "one" in figure["description"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["forest-weat.svg"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read as JSON"),
        ("[1]", "is not a record"),
        ('{"format": "unslant record 9"}', 'format "unslant record 9", which this version'),
        ('{"format": "unslant record 3"}', "is a damaged record"),
        (json.dumps(audit_of([]).to_dict()), "contains nothing that can be drawn"),
        ("[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_bad_input_is_told_in_a_sentence(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises((FileFormatError, DamagedFileError), match=why):
        run(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_does_not_exist_is_refused(record: Path, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="does not exist"):
        run(tmp_path / "nowhere.json")
    for options in ({"forms": "svg,gif"}, {"only": ["pie"]}):
        with pytest.raises(UnknownNameError):
            run(record, tmp_path / "out", **options)
    with pytest.raises(OutputError, match="is empty"):
        run(record, tmp_path / "out", forms=" , ")
    with pytest.raises(OutputError, match="is a file"):
        run(record, record)
    with pytest.raises(OutputError, match="folder that does not exist"):
        run(record, tmp_path / "no" / "where")
    assert not (tmp_path / "out").exists()


def test_nothing_is_replaced_unless_asked_and_a_folder_of_its_own_has_a_new_name(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = Path("out/forest-weat.svg")
    old.parent.mkdir()
    old.write_text("mine")
    with pytest.raises(OutputError, match=r"forest-weat.svg exists.*--overwrite"):
        run(record, Path("out"), forms="svg")
    assert [path.name for path in Path("out").iterdir()] == ["forest-weat.svg"]
    assert old.read_text() == "mine"
    run(record, Path("out"), forms="svg", overwrite=True)
    assert old.read_text().startswith("<svg")
    for name in ("unslant-figures-record", "unslant-figures-record-2"):
        run(record, forms="svg", only=["forest-weat"])
        assert [path.name for path in Path(name).iterdir()] == ["forest-weat.svg"]
