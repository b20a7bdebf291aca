"""The commands as a newcomer runs them: what they print, write, refuse and return."""

import json
import platform
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.command_line import json_of, unslant
from unslant.vectors import load
from unslant.vectors.save import save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_audit_without_a_file_measures_the_builtin_vectors_and_names_the_report(
    folder: Path,
) -> None:
    done = unslant("audit", cwd=folder, UNSLANT_DATA="")
    assert "career and family" in done.stdout
    assert done.stdout.strip().endswith("Report: unslant-report-gender.html")
    assert (folder / "unslant-report-gender.html").stat().st_size > 10_000


def test_audit_writes_where_it_is_told(folder: Path) -> None:
    save(load().head(20_000), folder / "before.safetensors")
    options = ("--no-quality", "--baseline", "before.safetensors")
    unslant("audit", "-c", "age", *options, "--html", "x.html", "--record", "x.json", cwd=folder)
    record = json.loads((folder / "x.json").read_text())
    assert record["subject"]["name"] == "age"
    assert record["baseline"]["name"] == "before"
    assert (folder / "x.html").exists()


def test_measure_prints_one_json_document(folder: Path) -> None:
    result = json_of("measure", "weat", "--test", "career-family", "--json", cwd=folder)
    assert result["value"] == pytest.approx(1.718, abs=0.005)
    assert result["p"]["how"] == "exact"
    shown = unslant("measure", "weat", "--test", "career-family", cwd=folder).stdout
    assert "closer to 0" in shown
    assert result["verdict"].startswith("Bias is shown and strong: 1.72")
    first = result["verdict"].partition(":")[0]
    assert first in " ".join(shown.replace("│", " ").split()), "the sentence of the terminal"


def test_a_file_a_limit_and_a_word_list_are_respected(folder: Path) -> None:
    save(load().head(2000), folder / "small.txt")
    (folder / "words.txt").write_text("she\nhe\nher\n")
    unslant("files", "convert", "small.txt", "-o", "few.vec", "--only", "words.txt", cwd=folder)
    assert (folder / "few.vec").read_text().startswith("3 100\n")
    unslant("files", "convert", "small.txt", "-o", "head.txt", "--limit", "5", cwd=folder)
    assert len((folder / "head.txt").read_text().splitlines()) == 5
    again = unslant("files", "convert", "small.txt", "-o", "head.txt", cwd=folder, code=2)
    assert "--overwrite" in again.stderr


def test_concepts_are_listed_and_shown(folder: Path) -> None:
    assert "nationality" in unslant("list", "concepts", cwd=folder).stdout
    shown = unslant("list", "concepts", "gender", cwd=folder).stdout
    assert "Bolukbasi" in shown
    assert "Caveat" in shown
    plain = json_of("list", "concepts", "gender", "--json", cwd=folder)
    assert plain["neutral"]["occupations"]["count"] == 164
    assert len(json_of("list", "concepts", "--json", cwd=folder)) == 8 + 25
    words = unslant("list", "words", "dev-2020/eating-verbs", cwd=folder).stdout.split()
    assert words == ["ate", "consumed", "finished", "cooked", "prepared"]


def test_a_concept_of_ones_own_works_where_a_name_does(folder: Path) -> None:
    (folder / "pets.toml").write_text(
        'name = "pets"\n[tests.nice]\n'
        'targets = { cats = ["cat", "kitten"], dogs = ["dog", "puppy"] }\n'
        'attributes = { good = ["love", "peace"], bad = ["war", "hate"] }\n'
    )
    arguments = ("-c", "pets.toml")
    assert "cats" in unslant("list", "concepts", "pets.toml", cwd=folder).stdout
    result = json_of("measure", "weat", *arguments, "--test", "nice", "--json", cwd=folder)
    assert result["p"]["outcomes"] == 6
    unslant("audit", *arguments, "--no-quality", cwd=folder)


def test_subspaces_metrics_and_cache_have_tables_and_json(folder: Path) -> None:
    assert "pair-pca" in unslant("inspect", "subspace", cwd=folder).stdout
    plain = json_of("inspect", "subspace", "-c", "religion", "--json", cwd=folder)
    assert (plain["k"], len(plain["basis"])) == (2, 2)
    assert len(json_of("list", "directions", "--json", cwd=folder)) == 7
    assert "two-means" in unslant("list", "directions", cwd=folder).stdout
    names = {item["name"] for item in json_of("list", "metrics", "--json", cwd=folder)}
    assert {"weat", "direct-bias"} <= names
    assert "caliskan-2017" in unslant("list", "metrics", cwd=folder).stdout
    assert json_of("files", "cache", "--json", cwd=folder)["files"] == 0
    assert "Removed" in unslant("files", "cache", "--clear", cwd=folder).stdout


def test_doctor_lists_every_bad_line_and_returns_1(folder: Path) -> None:
    (folder / "bad.txt").write_text("a 0.1 0.2\nb 0.1\nc 0.1 nan\nd 0.3 0.4\nd 0.5 0.6\n")
    done = unslant("files", "doctor", "bad.txt", cwd=folder, code=1)
    for line in ("line 2", "line 3", "line 5"):
        assert line in done.stdout
    assert "3 problems" in done.stdout
    plain = json.loads(unslant("files", "doctor", "bad.txt", "--json", cwd=folder, code=1).stdout)
    assert [problem["line"] for problem in plain["problems"]] == [2, 3, 5]
    save(load().head(10), folder / "good.txt")
    assert "No problem found" in unslant("files", "doctor", "good.txt", cwd=folder).stdout


def test_what_was_odd_about_a_file_is_said_on_standard_error(folder: Path) -> None:
    text = "".join(f"{word} 0.5 0.25\r\n" for word in ("she", "he"))
    (folder / "dos.txt").write_bytes(text.encode())
    done = unslant("files", "convert", "dos.txt", "-o", "unix.txt", cwd=folder)
    assert "CR LF" in done.stderr
    assert (folder / "unix.txt").read_bytes() == b"she 0.5 0.25\nhe 0.5 0.25\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["audit", "nowhere.txt"], "There is no file nowhere.txt"),
        (["audit", "-c", "gendr"], 'Did you mean "gender"'),
        (["measure", "waet", "--test", "career-family"], 'Did you mean "weat"'),
        (["measure", "weat"], "--test"),
        (["measure", "weat", "--test", "math-art"], 'Did you mean "math-arts"'),
        (["measure", "weat(ddof=x)", "--test", "math-arts"], "must be one of 0, 1"),
        (["measure", "direct-bias", "--missing", "skip"], "drop"),
        (["inspect", "subspace", "--direction", "pair-pca(k=900)"], "independent"),
        (["files", "convert", "builtin", "-o", "x.pdf"], "does not determine a format"),
        (["list", "words", "dev-2020/ocupations"], 'Did you mean "occupations"'),
        (["audit", "-c", "age", "--no-quality", "--html", "no/such/a.html"], "does not exist"),
    ],
)
def test_a_mistake_is_one_message_without_traceback_and_exit_2(
    args: list[str], message: str, folder: Path
) -> None:
    done = unslant(*args, cwd=folder, code=2)
    assert "Error: " in done.stderr
    assert message in done.stderr


def test_help_and_version_are_there(folder: Path) -> None:
    assert "audit" in unslant("--help", cwd=folder).stdout
    facts = unslant("--version", cwd=folder).stdout
    assert facts.startswith(f"unslant {us.__version__}\nPython {platform.python_version()} on ")
    assert f"numpy {np.__version__}" in facts
    assert "Extra web: starlette" in facts
    assert str(folder) not in facts
    for verb in ("audit", "measure", "inspect subspace", "files convert"):
        assert "Example" in unslant(*verb.split(), "--help", cwd=folder).stdout


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nofile.txt", "Cannot read nofile.txt: No such file or directory. --only takes"),
        ("latin1.txt", "latin1.txt is not UTF-8 text. --only takes a text file"),
        (".", ". is not a file. --only takes a text file"),
        ("/dev/zero", "/dev/zero is not a file. --only takes a text file"),
    ],
)
def test_a_list_of_words_that_cannot_be_read_is_one_sentence(
    folder: Path, name: str, expected: str
) -> None:
    (folder / "latin1.txt").write_bytes("größe\n".encode("latin-1"))
    done = unslant("files", "convert", "builtin", "-o", "a.txt", "--only", name, cwd=folder, code=2)
    assert expected in " ".join(done.stderr.split())
    assert len(done.stderr.splitlines()) <= 2


def test_only_the_listed_words_are_kept(folder: Path) -> None:
    (folder / "words.txt").write_bytes(b"he\r\nshe\r\n\r\n")
    unslant("files", "convert", "builtin", "-o", "a.txt", "--only", "words.txt", cwd=folder)
    assert sorted(load(folder / "a.txt").words) == ["he", "she"]
