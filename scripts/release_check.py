"""Build the wheel and the sdist, and use them as a stranger would, in empty environments.

    python scripts/release_check.py dist [PYTHON ...]

Each named interpreter (python3.11, python3.12 and python3.13 where they are found, if none is
named) gets an environment that has only the wheel and what it asks for. There, in an empty folder
and without the source tree, the demo runs, and what needs an extra says which. Then the sdist is
built into a wheel, which must contain the same files, and the extra of the page is installed and
serves. Ends with a status other than 0 if anything differs.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path

from unslant.cli.verbs import FOR_DEVELOPERS

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")

WITHOUT_EXTRAS = {
    ("serve",): 'pip install "unslant[web]"',
    ("train", "glove", "text.txt", "-o", "vectors.safetensors"): 'pip install "unslant[glove]"',
    ("train", "nli", "--data", ".", "-o", "model.safetensors"): 'pip install "unslant[lm]"',
    ("probe", "eec"): 'pip install "unslant[sentiment]"',
}
"""Commands that need an extra, and what they say without it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the wheel and the sdist are put")
    parser.add_argument("pythons", nargs="*", help="interpreters to install into")
    given = parser.parse_args()
    pythons = given.pythons or found_pythons()
    wheel, sdist = built(given.folder.resolve())
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {sdist.name}")
    same_files(wheel, sdist)
    for python in pythons:
        with tempfile.TemporaryDirectory(prefix="unslant-release-") as folder:
            used_as_a_stranger(python, wheel, Path(folder))
    missing = [one for one in VERSIONS if not any(one in version_of(python) for python in pythons)]
    if missing:
        print(f"Not tried, as not found here: Python {', '.join(missing)}")


def found_pythons() -> list[str]:
    """The interpreters of the supported versions on this machine, one for each that runs."""
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    found = []
    for one in VERSIONS:
        named = (str(folder / f"python{one}") for folder in folders)
        found += [next((path for path in named if version_of(path)), "")]
    return [path for path in found if path]


def version_of(python: str) -> str:
    """The version that an interpreter says; empty if it does not run."""
    try:
        done = subprocess.run([python, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of this tree."""
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def same_files(wheel: Path, sdist: Path) -> None:
    """A wheel built from the sdist alone contains the same files with the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(sdist, folder, filter="data")
        (tree,) = Path(folder).iterdir()
        run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], tree)
        (again,) = Path(folder).glob("*.whl")
        if contents(again) != contents(wheel):
            sys.exit("The sdist builds a different wheel.")
    print("sdist: builds the same wheel")


def contents(wheel: Path) -> dict[str, int]:
    """The files of a wheel by name, with their checksums."""
    with zipfile.ZipFile(wheel) as archive:
        return {one.filename: one.CRC for one in archive.infolist()}


def used_as_a_stranger(python: str, wheel: Path, folder: Path) -> None:
    """Install, run the demo in an empty folder, ask for what extras are for, install one."""
    begin = time.monotonic()
    environment, empty = folder / "environment", folder / "empty"
    empty.mkdir()
    run([python, "-m", "venv", str(environment)], folder)
    tool = str(environment / "bin" / "unslant")
    install(environment, str(wheel), folder)
    facts = run([tool, "--version"], empty)
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(re.findall(r"^Extra ([a-z]+):", facts, re.MULTILINE))
    wanted = set(stated["optional-dependencies"]) - set(FOR_DEVELOPERS)
    if extras != wanted:
        sys.exit(f"--version names the extras {sorted(extras)}, not {sorted(wanted)}.")
    if (there := facts.count("is not installed")) < len(wanted):
        sys.exit(f"An empty environment has extras: only {there} libraries are missing.")
    run([tool, "audit", "--html", "audit.html", "--record", "audit.json"], empty)
    fair = ["-o", "fair.safetensors", "--html", "fair.html"]
    run([tool, "debias", "--with", "hard | misp", *fair], empty)
    run([tool, "probe", "nli", "--set", "marked-attribute"], empty)
    for name in ("audit.html", "audit.json", "fair.safetensors", "fair.html"):
        if not (empty / name).stat().st_size:
            sys.exit(f"{name} is empty.")
    (empty / "text.txt").write_text("a text\n", encoding="utf-8")
    for arguments, advice in WITHOUT_EXTRAS.items():
        said = run([tool, *arguments], empty, fails=True)
        if advice not in " ".join(said.split()) or "Traceback" in said:
            sys.exit(f"unslant {' '.join(arguments)} does not say {advice}, but:\n{said}")
    install(environment, f"{wheel}[web]", folder)
    serves(tool, empty)
    seconds = time.monotonic() - begin
    print(f"{version_of(python)}: demo, missing extras and the page in {seconds:.0f} s", flush=True)


def install(environment: Path, what: str, folder: Path) -> None:
    """Let pip install something into an environment."""
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", what], folder)


def serves(tool: str, folder: Path) -> None:
    """The page starts, says its address and answers there."""
    server = subprocess.Popen(
        [tool, "serve", "--no-browser"], cwd=folder, env=alone(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        said = ""
        for line in server.stdout:
            said += line
            if address := re.search(r"http://127\.0\.0\.1:\d+/\S*", line):
                with urllib.request.urlopen(address[0], timeout=30) as answer:
                    if answer.status != 200:
                        sys.exit(f"The page answers {answer.status}.")
                return
        sys.exit(f"unslant serve did not start:\n{said}")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def alone() -> dict[str, str]:
    """The environment without anything that could lead to the source tree or to real data."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UNSLANT_")}
    return {name: value for name, value in kept.items() if name != "PYTHONPATH"}


def run(command: Sequence[str], folder: Path, *, fails: bool = False) -> str:
    """What a command prints; it must succeed, or fail where that is right."""
    done = subprocess.run(command, cwd=folder, env=alone(), capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        how = "did not fail" if fails else f"failed with {done.returncode}"
        sys.exit(f"{' '.join(command)} {how}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


if __name__ == "__main__":
    main()
