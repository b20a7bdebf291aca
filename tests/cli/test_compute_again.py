"""Every command that a record, a card or a report names is run, and must compute the same."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import unslant as us
from tests.command_line import json_of, unslant
from unslant.cli.typed import quoted
from unslant.reports.card.markdown import section

ODD = 'it\'s a "file" of  vectors; $HOME.txt'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose files have names that a shell would take apart."""
    where = tmp_path_factory.mktemp("commands")
    us.save(us.load(), where / ODD)
    us.save(us.debias("linear", us.load(), "gender"), where / "fair vectors.txt")
    return where


def _numbers(record: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for result in record.get("results", [{"now": record}]):
        change, before = result.get("change") or {}, result.get("before") or {}
        yield result["now"]["metric"], result["now"]["value"], before.get("value"), change


def _again(record: dict[str, Any], folder: Path) -> dict[str, Any]:
    words = shlex.split(record["command"])
    assert words[0] == "unslant"
    found: dict[str, Any] = json_of(*words[1:], "--json", cwd=folder)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("audit", ODD, "--baseline", "fair vectors.txt", "--no-quality", "--limit", "2000"),
        ("debias", "--with", "linear | misp(exponent=2)", "-o", "out.safetensors"),
        ("probe", "nli", ODD, "--set", "marked-attribute", "--contexts", "5"),
        ("probe", "eec", "--with", "linear", "--compare", "--controls", "2", "--concept", "gender"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_the_command_of_a_record_its_card_and_its_report_computes_the_same(
    folder: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    unslant(*words, "--record", "r.json", "--html", "r.html", "--overwrite", cwd=folder)
    record = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    again = _again(record, folder)
    assert list(_numbers(again)) == list(_numbers(record))
    assert again["command"] == record["command"]
    card = unslant("card", "r.json", cwd=folder).stdout
    assert f"\n    {record['command']}\n" in card
    shown = unescape((folder / "r.html").read_text(encoding="utf-8"))
    assert record["command"] in shown
    for path in folder.glob("*.safetensors"):
        path.unlink()


def test_the_command_of_one_measurement_computes_it_again(folder: Path) -> None:
    found = json_of(
        "measure", "weat(ddof=0)", ODD, "--test", "math-arts", "--missing", "drop", "--json",
        cwd=folder,
    )  # fmt: skip
    assert found["command"] == (
        f"unslant measure 'weat(ddof=0)' {shlex.quote(ODD)} --test math-arts --missing drop"
    )
    assert _again(found, folder)["value"] == found["value"]


@pytest.mark.parametrize(
    "words",
    [
        ("debias", "a model", "--with", "linear@layer:-1", "-c", "sides.toml", "--loader", "heads"),
        (
            *("probe", "masked-accuracy", "a model", "--text", "the text.txt"),
            *("--with", "linear@layer:-1", "--concept", "sides.toml", "--compare"),
        ),
        ("audit", "a model@layer:-1", "--concept", "sides.toml", "--contexts", "plain"),
    ],
    ids=lambda words: " ".join(words)[:20],
)
def test_a_model_with_a_method_is_measured_again(tmp_path: Path, words: tuple[str, ...]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.studies.language_models import CONCEPT, tiny_bert

    tiny_bert(tmp_path / "a model")
    (tmp_path / "sides.toml").write_text(CONCEPT)
    (tmp_path / "the text.txt").write_text("the nurse is here .\nhe is an engineer .\n")
    output = ("-o", "fair") if words[0] == "debias" else ()
    unslant(*words, *output, "--record", "r.json", cwd=tmp_path)
    record = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert "'a model" in record["command"]
    assert ("--with linear@layer:-1" in record["command"]) == ("--with" in words)
    again = _again(record, tmp_path)
    assert list(_numbers(again)) == list(_numbers(record))
    assert record["results"]


def test_a_study_is_computed_again_from_the_plan_in_its_record(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[resources]\nslice = "builtin"\n[methods]\noriginal = ""\nlinear = "linear"\n'
        '[measures]\nWEAT = { measure = "weat", test = "career-family" }\n[[matrix]]\n'
    )
    unslant("study", "run", "mine.toml", "-o", "my study", cwd=tmp_path)
    record = json.loads((tmp_path / "my study/record.json").read_text(encoding="utf-8"))
    unslant("export", "html", "my study", "-o", "study.html", cwd=tmp_path)
    page = unescape((tmp_path / "study.html").read_text(encoding="utf-8"))
    [command] = set(re.findall("Save the plan in this record .*: (unslant study run [^<]*)", page))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/plan.toml").write_text(record["study"]["plan"]["text"])
    unslant(*shlex.split(command)[1:], cwd=tmp_path / "elsewhere")
    again = json.loads((tmp_path / "elsewhere/FOLDER/record.json").read_text(encoding="utf-8"))
    assert again["study"]["table"] == record["study"]["table"]
    cell = record["study"]["cells"][0]["id"]
    said = unslant("study", "show", "my study", cell, cwd=tmp_path).stderr
    [command] = re.findall("Compute it again: (.*)", said)
    assert json_of(*shlex.split(command)[1:], "--json", cwd=tmp_path)["is_equal"]


def test_what_was_measured_in_python_says_that_no_command_computes_it() -> None:
    done = us.audit(us.load(), "gender", quality=False)
    assert done.record.command == ""
    text = section(done.record)
    assert "No command computes this again" in text
    assert "unslant audit" not in text


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("word", ["", ODD, "a\nb", "tab\tand it's", "-x", "\u202eevil", "$'a'"])
def test_a_shell_reads_every_word_as_it_was_typed(word: str) -> None:
    line = f"printf '[%s]' {quoted(word)}"
    assert line.isprintable()
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stdout.decode() == f"[{word}]"
