"""The ``unslant`` command, run in this process: starting Python anew would take a second each time.

What a process of its own shows (encodings, signals, pipes, full disks) is tested in
cli/test_start_and_encodings.py and cli/test_study.py.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import typer

from unslant.cli.app import main
from unslant.cli.verbs import app


def unslant(*args: str, cwd: Path, code: int = 0, **env: str) -> CompletedProcess[str]:
    """Run the command in a folder and check its exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(cwd)
        for name, value in {"UNSLANT_CACHE": str(cwd / "cache"), "COLUMNS": "120", **env}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["unslant", *args])
        with pytest.raises(SystemExit) as ended:
            main()
    stdout, stderr = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert (ended.value.code or 0) == code, stdout + stderr
    assert "Traceback" not in stderr
    return CompletedProcess(args, code, stdout, stderr)


def json_of(*args: str, cwd: Path, **env: str) -> Any:
    """The one JSON document that the command prints."""

    def refuse(text: str) -> None:
        raise ValueError(f"{text} is not JSON")

    return json.loads(unslant(*args, cwd=cwd, code=0, **env).stdout, parse_constant=refuse)


def parsed(words: list[str]) -> None:
    """Read a command as the command line would, with all its options, and run nothing."""
    command: Any = typer.main.get_command(app)
    context = typer.Context(command)
    while hasattr(command, "get_command") and words and not words[0].startswith("-"):
        command = command.get_command(context, words[0])
        assert command is not None, words[0]
        context = typer.Context(command, info_name=words.pop(0))
    command.make_context(context.info_name, words)
