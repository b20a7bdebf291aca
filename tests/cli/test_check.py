"""``unslant check`` and ``unslant card`` as a build server runs them."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command_line import unslant
from tests.reports.gate.records import measured, record

AUDIT = record(
    measured("weat", 0.4, 0.1, 0.7, test="career-family"), measured("analogy", 0.6, 0.55, 0.65)
)
BASE = record(measured("weat", 1.4, 1.2, 1.6, test="career-family"), sha="b" * 64)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, found in (("audit", AUDIT), ("base", BASE), ("empty", record())):
        (tmp_path / f"{name}.json").write_text(json.dumps(found.to_dict()))
    return tmp_path


def test_the_exit_status_says_whether_the_bounds_are_kept(folder: Path) -> None:
    kept = unslant("check", "audit.json", "--max", "weat=0.7", "--min", "analogy=0.5", cwd=folder)
    assert AUDIT.conclusion is not None
    assert AUDIT.conclusion.sentence in kept.stdout
    assert kept.stdout.count("passed") == 2
    broken = unslant("check", "audit.json", "--max", "weat:career-family=0.5", cwd=folder, code=1)
    assert "failed" in broken.stdout
    by_value = ("--max", "weat=0.5", "--judge", "value")
    unslant("check", "audit.json", *by_value, cwd=folder)
    worse = unslant("check", "base.json", "--no-worse-than", "audit.json", cwd=folder, code=1)
    assert "resampled separately" in " ".join(worse.stderr.split())
    unslant("check", "audit.json", "--no-worse-than", "base.json", cwd=folder)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["audit.json"], "Name what to check"),
        (["audit.json", "--max", "waet=1"], 'Did you mean "weat"?'),
        (["empty.json", "--max", "weat=1"], "no result with a value"),
        (["none.json", "--max", "weat=1"], "does not exist"),
        (["audit.json", "--max", "weat=1", "--junit", "out.txt"], "must end in .xml"),
    ],
)
def test_what_cannot_be_checked_is_said_in_a_sentence(
    asked: list[str], said: str, folder: Path
) -> None:
    assert said in unslant("check", *asked, cwd=folder, code=2).stderr


def test_json_and_junit_say_the_same(folder: Path) -> None:
    asked = ("check", "audit.json", "--max", "weat=0.5", "--junit", "out.xml", "--json")
    found = json.loads(unslant(*asked, cwd=folder, code=1).stdout)
    assert found["format"] == "unslant check 1"
    assert [check["status"] for check in found["checks"]] == ["failed"]
    root = ElementTree.parse(folder / "out.xml").getroot()
    assert root.get("failures") == "1"
    assert "exists" in unslant(*asked, cwd=folder, code=2).stderr
    unslant(*asked, "--overwrite", cwd=folder, code=1)


def test_a_card_is_printed_or_written(folder: Path) -> None:
    printed = unslant("card", "audit.json", cwd=folder).stdout
    assert printed.startswith("---\nmodel-index:\n")
    assert "## Bias: Gender" in printed
    unslant("card", "audit.json", "-o", "card.md", cwd=folder)
    assert (folder / "card.md").read_text() == printed
    assert "exists" in unslant("card", "audit.json", "-o", "card.md", cwd=folder, code=2).stderr
    assert "no result" in unslant("card", "empty.json", cwd=folder, code=2).stderr


def test_a_record_written_without_verdicts_is_judged_when_it_is_read(folder: Path) -> None:
    plain = replace(AUDIT, conclusion=None).to_dict()
    for item in plain["results"]:
        del item["finding"]
    del plain["conclusion"]
    (folder / "older.json").write_text(json.dumps(plain))
    found = [
        json.loads(unslant("check", name, "--max", "weat=1", "--json", cwd=folder).stdout)
        for name in ("audit.json", "older.json")
    ]
    assert found[0]["verdict"] == found[1]["verdict"] != ""
