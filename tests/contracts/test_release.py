"""What is released: a wheel that is whole, one version everywhere, actions pinned by commit."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from unslant.core.version import __version__

ROOT = Path(__file__).resolve().parents[2]
TRACKED = ("git", "-C", str(ROOT), "ls-files", "-z", "src/unslant")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: what belongs to the package is not known")
    listed = subprocess.run(TRACKED, check=True, capture_output=True, text=True).stdout
    there = {one.removeprefix("src/") for one in listed.split("\0") if one}
    there = {one for one in there if (ROOT / "src" / one).exists()}
    about = f"unslant-{__version__}.dist-info/"
    assert {one for one in wheel.namelist() if not one.startswith(about)} == there


def test_the_wheel_states_its_licence_its_python_and_its_extras(wheel: zipfile.ZipFile) -> None:
    facts = wheel.read(f"unslant-{__version__}.dist-info/METADATA").decode()
    assert "License-Expression: MIT" in facts
    assert "Requires-Python: >=3.11" in facts
    for extra in ("lm", "web", "dask", "sentiment", "spacy", "glove"):
        assert f"Provides-Extra: {extra}\n" in facts
    bare = [line for line in facts.splitlines() if line.startswith("Requires-Dist")]
    core = " ".join(line for line in bare if "extra ==" not in line)
    for library in ("torch", "transformers", "starlette", "spacy", "numba", "pandas", "pytest"):
        assert library not in core


def test_the_citation_and_the_changelog_speak_of_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == __version__  # type: ignore[index]


def test_workflows_name_actions_by_commit_and_may_only_read() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        text = path.read_text(encoding="utf-8")
        used = re.findall(r"uses: (\S+)", text)
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used), path.name
        assert re.findall(r"permissions:\n((?:  +\S.*\n)+)", text) == ["  contents: read\n"]
        assert "secrets." not in text
        assert "persist-credentials: false" in text


def test_workflows_run_only_targets_that_the_makefile_has() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        wanted = re.findall(r"run: make ([a-z-]+)", path.read_text(encoding="utf-8"))
        assert set(wanted) <= targets, path.name
