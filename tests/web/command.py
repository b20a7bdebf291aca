"""``unslant serve`` as a process of its own, which no failure of a test leaves behind."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_ADDRESS = re.compile(r"http://([^/ ]+:(\d+))/\?key=([\w-]+)")


@dataclass(frozen=True)
class Running:
    """A server that said where it is."""

    process: "subprocess.Popen[str]"
    temporary: Path
    first_lines: str

    @property
    def host(self) -> str:
        """The name and the port, as requests say them."""
        return _found(self.first_lines)[1]

    @property
    def port(self) -> int:
        return int(_found(self.first_lines)[2])

    @property
    def key(self) -> str:
        """The key in the printed address."""
        return _found(self.first_lines)[3]

    def next_key(self) -> str:
        """The key in the address that is printed next."""
        assert self.process.stdout is not None
        return _found(self.process.stdout.readline())[3]

    def said(self) -> str:
        """What the ended process said after its address."""
        assert self.process.stdout is not None
        return self.process.stdout.read()


def _found(line: str) -> "re.Match[str]":
    found = _ADDRESS.search(line)
    assert found, line
    return found


def _first_lines(stream: IO[str]) -> str:
    """What is said down to the address."""
    lines: list[str] = []
    while not _ADDRESS.search("".join(lines)) and (line := stream.readline()):
        lines.append(line)
    return "".join(lines)


@contextmanager
def command_running(
    folder: Path, *args: str, hangup: "signal.Handlers" = signal.SIG_DFL, **environment: str
) -> Iterator[Running]:
    """Start the command and end it; ``hangup`` is what it finds for SIGHUP.

    The tests themselves may run under nohup, and what they start would then ignore that signal.
    """
    command = [sys.executable, "-c", "from unslant.cli.app import main; main()", "serve"]
    temporary = folder / "temporary"
    temporary.mkdir()
    quiet = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, *args],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | quiet | {"TMPDIR": str(temporary)} | environment,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup),
    ) as process:
        try:
            assert process.stdout is not None
            yield Running(process, temporary, _first_lines(process.stdout))
        finally:
            process.kill()
