"""What is released: a wheel that is whole, one version everywhere, actions pinned by commit."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

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


BUNDLED = {
    "unslant/vectors/data/glove.6B.100d.slice": "PDDL-1.0",
    "unslant/models/nli/data/snli-glove-100d": "CC-BY-SA-4.0",
    "unslant/models/coreference/data/litbank-glove-100d": "CC-BY-4.0",
}
"""Vectors and models in the package, and the licences of what they were made from."""


def test_every_bundled_file_of_weights_has_its_licence_next_to_it(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {name for name in names if name.endswith(".safetensors")} == {
        f"{name}.safetensors" for name in BUNDLED
    }
    facts = wheel.read(f"unslant-{__version__}.dist-info/METADATA").decode()
    in_sdist = {one.distribution_path for one in SdistBuilder(str(ROOT)).recurse_included_files()}
    for name, licence in BUNDLED.items():
        text = wheel.read(f"{name}.LICENSE.txt").decode()
        assert f"SPDX: {licence})" in text
        for part in ("Source:", "Cite:", "Changes:", "https://", name.rpartition("/")[2]):
            assert part in text
        assert f"License-File: src/{name}.LICENSE.txt" in facts
        assert f"src/{name}.LICENSE.txt" in in_sdist


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
    newest = re.search(r"^## (\S+)(.*)$", changes, re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__ or newest[2].endswith("unreleased")


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
