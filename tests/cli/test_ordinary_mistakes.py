"""Mistakes that people make: one sentence that says what is wrong, status 2, and no traceback."""

import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from tests.reports.figures.made_records import audit_of, lean, weat
from tests.studies.run.test_store import sealed
from unslant.cli.shared import run
from unslant.cli.verbs import app
from unslant.core.record import Resource
from unslant.reports.figures.export import drawn
from unslant.reports.figures.figure import Figure

Cli = Callable[..., str]

CONCEPT = """
name = "pets"
groups = ["cat", "dog"]
words = { cat = ["cat"], dog = ["dog"] }
"""
PLAN = """
name = "small"
[resources]
glove = "builtin"
[measures]
weat = { measure = "weat", test = "career-family" }
[[matrix]]
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    """Runs a command in an empty folder and gives its one sentence, or what it printed."""
    monkeypatch.chdir(tmp_path)

    def command(*args: str, code: int = 2) -> str:
        monkeypatch.setattr(sys, "argv", ["unslant", *args])
        with pytest.raises(SystemExit) as ended:
            run(app)
        said = capsys.readouterr()
        assert (ended.value.code or 0) == code, said.err
        assert "Traceback" not in said.err
        if code != 2:
            return said.out
        assert said.err.startswith("Error: ")
        assert said.err.count("\n") == 1
        assert len(said.err) < 1000
        return said.err

    return command


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("direction = 5", '"direction" must be a string'),
        ("direction = ['cat', 'dog']", '"direction" must be a string'),
        ("neutral = { jobs = { words = 5 } }", '"words" of the list "pets/jobs" must be an array'),
        ("neutral = { jobs = { words = 'nurse' } }", "must be an array"),
        ("sets = { a = { columns = 5, rows = [['a', 'b']] } }", '"columns" of the list'),
        ("sets = { a = { columns = ['x', 'y'], rows = 5 } }", '"rows" of the list'),
        ("sets = { a = { columns = [1, 2], rows = [['a', 'b']] } }", "not a string"),
        ("sets = { a = { columns = ['x', 'y'], rows = [[['a'], 'b']] } }", "words and numbers"),
        ("neutral = { jobs = 5 }", "must be a table"),
        (f"lists = {'[' * 5000}{']' * 5000}", "nested too deeply"),
        (f"lists = {'{a=' * 5000}1{'}' * 5000}", "nested too deeply"),
        (f"lists = {'7' * 5000}", "too many digits"),
        ("measures = ['" + "weat(" * 5000 + "']", "nested more than 5 deep"),
    ],
)
def test_a_concept_that_is_wrong(line: str, expected: str, cli: Cli) -> None:
    Path("pets.toml").write_text(f"{CONCEPT}\n{line}\n")
    verb = ("measure", "direct-bias") if "measures" not in line else ("measure", "weat(" * 5000)
    assert expected in cli(*verb, "--concept", "pets.toml")


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of another system")
def test_a_concept_that_is_no_file(cli: Cli) -> None:
    os.mkfifo("pipe.toml")
    Path("zero.toml").symlink_to("/dev/zero")
    Path("folder.toml").mkdir()
    for name, expected in (
        ("pipe.toml", "pipe or a device"),
        ("zero.toml", "pipe or a device"),
        ("folder.toml", "is a folder"),
        (f"{'x' * 300}.toml", "File name too long"),
    ):
        assert expected in cli("audit", "--concept", name)
        assert expected in cli("probe", "nli", "--set", name)
        assert expected in cli("study", "run", name, "-o", "results")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("weat(" * 5000 + ")" * 5000, "nested more than 5 deep"),
        (f"weat(seed={'9' * 5000})", "at most 18 digits"),
        (f"weat(seed={'9' * 400})", "at most 18 digits"),
        ("weat(seed=1e999)", "is too large"),
    ],
)
def test_an_expression_out_of_all_measure(expression: str, expected: str, cli: Cli) -> None:
    assert expected in cli("measure", expression)
    assert expected in cli("debias", "--with", expression)


@pytest.mark.parametrize("place", ["resource", "model", "concept", "dataset", "home"])
def test_a_path_in_a_plan_that_no_file_can_have(place: str, cli: Cli) -> None:
    long = "x" * 300
    text = {
        "resource": PLAN.replace('"builtin"', f'"{long}.txt"'),
        "home": PLAN.replace('"builtin"', '"~nobody-of-this-name/v.txt"'),
        "concept": f'{PLAN}concept = "{long}.toml"\n',
        "dataset": PLAN.replace(
            '{ measure = "weat", test = "career-family" }', f'"similarity(dataset={long})"'
        ),
        "model": PLAN.replace(
            '{ measure = "weat", test = "career-family" }',
            f'{{ probe = "nli", set = "gender-occupation", measure = "net-neutral", '
            f'model = "{long}" }}',
        ),
    }[place]
    Path("plan.toml").write_text(text)
    assert "cannot be a path" in cli("study", "run", "plan.toml", "-o", "results")


def test_200_000_seeds_are_refused_at_once(cli: Cli) -> None:
    Path("plan.toml").write_text(f"{PLAN}seeds = {list(range(200_000))}\n")
    begun = time.monotonic()
    assert "200,000 cells" in cli("study", "run", "plan.toml", "-o", "results")
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("title", ["a\x1b[31m", "typed: \\x1b", "\\u0000", "C:\\path", 'a"b\\'])
def test_no_title_of_an_axis_becomes_a_control_character_in_a_picture(title: str) -> None:
    chart = alt.Chart(alt.Data(values=[{"x": 1}])).mark_bar().encode(x=alt.X("x:Q", title=title))
    figure = Figure(name="f", title="f", caption="", description="", chart=chart)
    assert drawn(figure, "pdf").startswith(b"%PDF")
    assert not re.search("[\x00-\x08\x0b-\x1f]", drawn(figure, "svg").decode())


RECORD = audit_of([weat("career-family", 1.7, 1.1, 1.9)]).to_dict()


def changed(value: Any, into: str) -> Any:
    """The record with every number replaced."""
    if isinstance(value, dict):
        return {key: changed(item, into) for key, item in value.items()}
    if isinstance(value, list):
        return [changed(item, into) for item in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"@{into}@" if is_number else value


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("9" * 400, "integer of 400 digits"),
        ("9" * 5000, "integer of 5,000 digits"),
        ("Infinity", "contains Infinity"),
        ("NaN", "contains NaN"),
        ("1e999", "too large"),
    ],
)
def test_a_number_in_a_record_that_is_none(number: str, expected: str, cli: Cli) -> None:
    text = json.dumps(changed(RECORD, number)).replace('"@', "").replace('@"', "")
    Path("record.json").write_text(text)
    assert expected in cli("export", "html", "record.json", "-o", "a.html")
    assert expected in cli("export", "figures", "record.json", "-o", "figures")
    assert expected in cli("serve", "record.json", "--no-browser")


def test_a_record_that_is_nested_too_deeply(cli: Cli) -> None:
    Path("record.json").write_text("[" * 100_000)
    assert "nested too deeply" in cli("export", "html", "record.json", "-o", "a.html")


@pytest.mark.parametrize("form", ["pdf", "svg", "png", "html"])
def test_control_characters_in_a_record_are_drawn_written_out(form: str, cli: Cli) -> None:
    hostile = "a\x1b[31m\x00\x9b\u202e\ufffeb"
    record = audit_of(
        [lean([(hostile, 0.6, 0.2), ("coach", 0.1, 0.5)]), weat(hostile, 1.5, 0.9, 1.8, 0.01)],
        groups=(hostile, "others"),
    )
    record = replace(record, resource=Resource(name=hostile, kind="vectors"))
    Path("record.json").write_text(json.dumps(record.to_dict()))
    cli("export", "figures", "record.json", "-o", "figures", "--format", form, code=0)
    assert any(Path("figures").iterdir())


def finished(folder: str, cli: Cli) -> Path:
    """A small study that is done, and the file of its one cell."""
    Path("plan.toml").write_text(PLAN)
    cli("study", "run", "plan.toml", "-o", folder, code=0)
    [cell] = Path(folder).glob("cells/*/*.json")
    return cell


def test_what_can_be_wrong_in_the_folder_of_a_study(cli: Cli) -> None:
    cell = finished("s", cli)
    whole, plan = cell.read_bytes(), Path("s/plan.json").read_bytes()

    for content in (plan[:20], b"", b"[" * 100_000, b"[]"):
        Path("s/plan.json").write_bytes(content)
        for verbs in (("study", "status"), ("export", "table"), ("study", "resume")):
            said = cli(*verbs, "s")
            assert "plan.json is damaged or missing" in said
            assert "1 finished cell is still there" in said
            assert "unslant study run PLAN -o s" in said
    assert "0 cells computed, 1 there before" in cli("study", "run", "plan.toml", "-o", "s", code=0)
    assert Path("s/plan.json").read_bytes() == plan
    Path("s/plan.json").unlink()
    assert "1 finished cell is still there" in cli("study", "status", "s")
    Path("s/plan.json").mkdir()
    assert "plan.json is damaged or missing" in cli("study", "status", "s")
    Path("s/plan.json").rmdir()
    Path("s/plan.json").write_bytes(plan)

    cell.write_bytes(sealed(b"[" * 100_000 + b"\n{}\n"))
    assert "not done" in cli("export", "table", "s", code=0)
    assert "is not the file that was written" in cli("study", "show", "s", cell.stem)
    cell.unlink()
    cell.mkdir()
    assert "not done" in cli("export", "table", "s", code=0)
    assert "cannot be read: Is a directory" in cli("study", "show", "s", cell.stem)
    assert "1 cell computed" in cli("study", "resume", "s", code=0)
    assert cell.read_bytes().split(b"\n")[0] == whole.split(b"\n")[0]

    index = Path("s/index.json").read_bytes()
    Path("s/index.json").write_bytes(b"[" * 100_000)
    assert "index.json is damaged" in cli("export", "table", "s")
    Path("s/index.json").unlink()
    Path("s/index.json").mkdir()
    assert "index.json is damaged" in cli("export", "table", "s")
    assert "Cannot write s/index.json: Is a directory" in cli("study", "resume", "s")
    Path("s/index.json").rmdir()
    Path("s/index.json").write_bytes(index)
    Path("s/failures").mkdir(exist_ok=True)
    Path("s/failures/aa.json").write_bytes(b"[" * 100_000)
    cli("study", "status", "s", code=0)
    assert cli("study", "status", "nothing").endswith('"unslant study run PLAN -o nothing".\n')
