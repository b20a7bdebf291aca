"""``unslant check`` and ``unslant card`` as a build server runs them."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import unslant as us
from tests.command_line import unslant
from tests.reports.gate.records import measured, record
from unslant.reports.gate.check import Bound, bound_checks
from unslant.studies.audit import audit

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
    (folder / "unjudged.json").write_text(json.dumps(plain))
    found = [
        json.loads(unslant("check", name, "--max", "weat=1", "--json", cwd=folder).stdout)
        for name in ("audit.json", "unjudged.json")
    ]
    assert found[0]["verdict"] == found[1]["verdict"] != ""


def documented_commands() -> list[list[str]]:
    """The commands of the build in docs/check.md, but for its installation."""
    page = Path(__file__).parents[2] / "docs" / "check.md"
    lines = page.read_text().partition("```yaml")[2].partition("```")[0].splitlines()
    runs = [line.partition("- run: ")[2] for line in lines if "- run: unslant " in line]
    return [shlex.split(run)[1:] for run in runs]


@pytest.mark.parametrize(("is_undone", "code"), [(True, 1), (False, 0)])
def test_the_documented_build_fails_if_a_debiasing_is_undone_and_not_if_a_file_is_saved_again(
    is_undone: bool, code: int, tmp_path: Path
) -> None:
    original = us.load(limit=4000)
    fair = us.debias("hard", original, "gender")
    us.save(fair, tmp_path / "released.safetensors")
    if is_undone:
        us.save(original, tmp_path / "vectors.safetensors")
    else:  # through text, which other tools write
        us.save(fair, tmp_path / "fair.vec")
        us.save(us.load(tmp_path / "fair.vec"), tmp_path / "vectors.safetensors")
    *audits, check = documented_commands()
    assert [command[0] for command in audits] == ["audit", "audit"]
    for command in audits:
        unslant(*command, "--no-quality", cwd=tmp_path)
    found = unslant(*check, cwd=tmp_path, code=code)
    assert ("failed" in found.stdout) is is_undone
    assert "resampled separately" not in " ".join(found.stderr.split())


def test_the_bound_of_the_readme_fails_the_built_in_vectors_and_passes_debiased_ones() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    [line] = [line for line in readme.splitlines() if line.startswith("unslant check audit.json ")]
    bound = Bound.of("max", shlex.split(line, comments=True)[-1])
    gender = us.concept("gender")
    job = ("weat", gender.test("career-family"))
    for vectors, status in (
        (us.load(), "failed"),
        (us.debias("hard", us.load(), gender), "passed"),
    ):
        [check] = bound_checks(audit(vectors, gender, jobs=[job]).record, bound, "interval")
        assert check.status == status
