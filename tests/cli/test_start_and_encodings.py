"""Where the command runs: consoles of other encodings, pipes, signals, no home folder."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = "from unslant.cli.app import main; main()"
AUDIT = ("audit", "-c", "age", "--no-quality", "--html", "a.html", "--record", "a.json")

ENDS = {
    "SIGINT": (130, b"Interrupted; nothing was half-written.\n"),
    "SIGTERM": (143, b"Stopped by SIGTERM; nothing was half-written.\n"),
}


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


@pytest.mark.parametrize(
    "args",
    [
        AUDIT,
        ("list", "metrics"),
        ("list", "metrics", "--json"),
        ("--help",),
        ("audit", "no-such-file"),
    ],
)
def test_a_reader_that_leaves_early_ends_the_command_quietly_and_costs_no_file(
    args: tuple[str, ...], tmp_path: Path, warm_cache: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *args],
        cwd=tmp_path,
        env={**os.environ, "UNSLANT_CACHE": warm_cache},
        stdout=writer,
        stderr=writer if args[-1] == "no-such-file" else subprocess.PIPE,
        timeout=120,
    )
    os.close(writer)
    assert done.returncode == 141, "as shells have it for what SIGPIPE ends"
    assert not done.stderr
    if args == AUDIT:
        assert (tmp_path / "a.html").exists()
        assert (tmp_path / "a.json").exists()


@pytest.mark.skipif(os.name != "posix", reason="shells of POSIX close streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_cost_no_file_and_get_no_text_into_one(
    closed: str, tmp_path: Path, warm_cache: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", COMMAND, *AUDIT],
        cwd=tmp_path,
        env={**os.environ, "UNSLANT_CACHE": warm_cache},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0
    assert done.stderr in (b"", b"Note: standard output is closed; only files are written.\n")
    assert (done.stderr == b"") == (closed != ">&-")
    assert (b"Report: a.html" in done.stdout) == (closed == "2>&-")
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    json.loads((tmp_path / "a.json").read_text())


def test_an_error_has_its_exit_code_where_no_stream_is_open(tmp_path: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", COMMAND]
    done = subprocess.run([*command, "audit", "no-such-file"], cwd=tmp_path, timeout=120)
    assert done.returncode == 2


def test_without_a_home_folder_one_sentence_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "UNSLANT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    nobody = "import pwd\ndef none(uid): raise KeyError(uid)\npwd.getpwuid = none\n"
    _, said = unslant("files", "cache", cwd=tmp_path, code=2, command=nobody + COMMAND)
    assert said.decode().startswith("Error: There is no home folder for the cache")
    assert b"UNSLANT_CACHE" in said
    assert said.count(b"\n") == 1
    unslant(
        "files",
        "cache",
        cwd=tmp_path,
        code=0,
        command=nobody + COMMAND,
        UNSLANT_CACHE=str(tmp_path / "c"),
    )


# Each import of the command line asks whether to stop; the first one under way says that it is.
_STOPPED_IN_IMPORTS = """
import os, signal, sys
from unslant.cli.app import main

stop, module = sys.argv.pop(), sys.argv.pop()

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), getattr(signal, stop))

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
@pytest.mark.parametrize("stop", ENDS)
def test_a_signal_while_modules_are_imported_ends_in_one_sentence(
    module: str, stop: str, tmp_path: Path
) -> None:
    code, sentence = ENDS[stop]
    (tmp_path / "plan.toml").write_text(
        'resources = { slice = "builtin" }\nmethods = { original = "" }\n'
        'measures = { bias = "direct-bias" }\n[[matrix]]\n'
    )
    words = ("study", "run", "plan.toml", "-o", "study", module, stop)
    _, said = unslant(*words, cwd=tmp_path, code=code, command=_STOPPED_IN_IMPORTS)
    assert said == sentence


@pytest.mark.parametrize("stop", ENDS)
def test_a_signal_at_other_moments_of_the_start_ends_in_one_sentence(
    stop: str, tmp_path: Path
) -> None:
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
        started.send_signal(getattr(signal, stop))
        _, said = started.communicate(timeout=60)
        assert (started.returncode, said) == ENDS[stop]


_STOPPED_AT_WORK = """
import os, signal, sys
from unslant.cli import audit
from unslant.cli.app import main

def stop(*_, **__):
    try:
        exec("os.kill(os.getpid(), signal.SIGTERM)")  # as libraries run code from text
    finally:
        os.kill(os.getpid(), signal.SIGTERM)

audit.audit = stop
main()
"""


def test_sigterm_that_comes_twice_ends_in_one_sentence(tmp_path: Path) -> None:
    # As python -m unslant, which Python would end by SIGINT after a plain KeyboardInterrupt.
    (tmp_path / "stopped.py").write_text(_STOPPED_AT_WORK, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "stopped", "audit"], cwd=tmp_path, capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == ENDS["SIGTERM"]


def test_sigterm_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    done = ignore + _STOPPED_AT_WORK.replace("audit.audit = stop", "stop()")
    unslant("list", "metrics", cwd=tmp_path, code=0, command=done)
