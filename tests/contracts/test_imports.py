"""A command imports what it needs: few modules of ours, and no numpy to print help."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unslant.core.manifest import manifest
from unslant.vectors import WordVectors
from unslant.vectors.save import save

REFUSED = """
resources = { slice = "builtin" }
methods = { original = "", hard = "hard" }
[measures]
Career = { measure = "weat", test = "career-family" }
Typo = "clusterin"
[[matrix]]
"""
COMMAND = """
import sys
from unslant.cli.app import main
sys.argv = ["unslant", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    print(*sys.modules, file=sys.stderr)
    sys.exit(ended.code)
"""
COMPONENTS = {
    row["home"].partition(":")[0] for rows in manifest().values() for row in rows.values()
}
"""The modules that define components."""


def modules_of(folder: Path, *words: str, code: int = 0) -> list[str]:
    """Everything that is imported when a command has ended."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        cwd=folder,
        env={**os.environ, "UNSLANT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stderr.splitlines()[-1].split()


def ours(modules: list[str]) -> list[str]:
    return [name for name in modules if name.partition(".")[0] == "unslant"]


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("audit", "words.txt", "--html", "a.html"), 200),
        (("measure", "weat", "words.txt", "--test", "career-family"), 150),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_a_command_imports_few_of_our_modules(
    words: tuple[str, ...], most: int, glove: WordVectors, tmp_path: Path
) -> None:
    save(glove.head(15_000), tmp_path / "words.txt")
    found = ours(modules_of(tmp_path, *words))
    assert len(found) <= most, sorted(found)


def test_a_plan_is_refused_before_what_would_run_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(REFUSED)
    found = ours(modules_of(tmp_path, "study", "run", "plan.toml", "-o", "study", code=2))
    assert len(found) <= 120, sorted(found)


def test_help_imports_no_command_and_no_numpy(tmp_path: Path) -> None:
    found = modules_of(tmp_path, "--help")
    assert "numpy" not in found
    assert len(ours(found)) <= 30, sorted(ours(found))


@pytest.mark.parametrize(
    "words",
    [
        "list metrics",
        "list probes",
        "list methods",
        "list directions",
        "measure --help",
        "probe --help",
        "debias --help",
    ],
)
def test_lists_and_help_import_no_component(words: str, tmp_path: Path) -> None:
    assert not COMPONENTS & set(modules_of(tmp_path, *words.split()))


def test_completing_a_name_imports_no_component() -> None:
    code = (
        "import sys; from unslant.cli.completion import methods, metrics;"
        "print(metrics('wea'), methods('hard | mi'), *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("['weat'] ['hard | misp'] ")
    assert not COMPONENTS & set(done.stdout.split())
