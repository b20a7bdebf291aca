"""Where the command runs: consoles of other encodings, no home folder, Ctrl-C at any moment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = "from unslant.cli.app import main; main()"
AUDIT = ("audit", "-c", "age", "--no-quality", "--html", "a.html", "--record", "a.json")


def unslant(
    *args: str, cwd: Path, code: int, command: str = COMMAND, **env: str
) -> tuple[bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-c", command, *args],
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "0", "COLUMNS": "120", **env},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_of_any_encoding_gets_tables_and_the_files_are_written(
    encoding: str, tmp_path: Path, warm_cache: str
) -> None:
    shown, _ = unslant(
        *AUDIT, cwd=tmp_path, code=0, PYTHONIOENCODING=encoding, UNSLANT_CACHE=warm_cache
    )
    assert "Report: a.html" in shown.decode(encoding)
    assert "##" in shown.decode(encoding)  # the bars, of which these encodings know nothing
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert (tmp_path / "a.json").stat().st_size > 10_000


def test_an_error_is_told_in_ascii_too(tmp_path: Path) -> None:
    _, said = unslant("audit", "naïve – ♥.txt", cwd=tmp_path, code=2, PYTHONIOENCODING="ascii")
    assert said.startswith(b"Error: ")
    assert rb"na\xefve - \u2665.txt" in said


def test_a_reader_that_leaves_early_does_not_cost_the_files(
    tmp_path: Path, warm_cache: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *AUDIT],
        cwd=tmp_path,
        env={**os.environ, "UNSLANT_CACHE": warm_cache},
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    os.close(writer)
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "a.html").exists()
    assert (tmp_path / "a.json").exists()


def test_without_a_home_folder_one_sentence_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "UNSLANT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    nobody = "import pwd\ndef none(uid): raise KeyError(uid)\npwd.getpwuid = none\n"
    _, said = unslant("cache", cwd=tmp_path, code=2, command=nobody + COMMAND)
    assert said.decode().startswith("Error: There is no home folder for the cache")
    assert b"UNSLANT_CACHE" in said
    assert said.count(b"\n") == 1
    unslant(
        "cache", cwd=tmp_path, code=0, command=nobody + COMMAND, UNSLANT_CACHE=str(tmp_path / "c")
    )


# Each import of the command line asks whether to stop; the first one under way says that it is.
_STOPPED_IN_IMPORTS = """
import os, signal, sys
from unslant.cli.app import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
main()
"""


@pytest.mark.parametrize(
    "module",
    [
        "typer",
        "numpy",
        "numpy.linalg",
        "unslant.cli.verbs",
        "unslant.cli.study",
        "unslant.studies.run",
    ],
)
def test_ctrl_c_while_modules_are_imported_ends_in_one_sentence(
    module: str, tmp_path: Path
) -> None:
    _, said = unslant("study", module, cwd=tmp_path, code=130, command=_STOPPED_IN_IMPORTS)
    assert said == b"Interrupted; nothing was half-written.\n"


def test_ctrl_c_at_other_moments_of_the_start_ends_in_one_sentence(tmp_path: Path) -> None:
    ready = "import sys\nfrom unslant.cli.app import main\nprint(flush=True)\nmain()"
    for wait in (0.05, 0.3, 0.6):
        started = subprocess.Popen(
            [sys.executable, "-c", ready, "audit", "--no-quality"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert started.stdout is not None
        started.stdout.readline()
        time.sleep(wait)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
        assert (started.returncode, said) == (130, b"Interrupted; nothing was half-written.\n")
