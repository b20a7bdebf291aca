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


@dataclass(frozen=True)
class Running:
    """A server that said where it is."""

    process: "subprocess.Popen[str]"
    temporary: Path
    first_line: str

    @property
    def port(self) -> int:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.first_line)
        assert found, self.first_line
        return int(found[1])

    def said(self) -> str:
        """What the ended process said after its first line."""
        assert self.process.stdout is not None
        return self.process.stdout.read()


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
        [*command, "--no-browser", *args],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | quiet | {"TMPDIR": str(temporary)} | environment,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup),
    ) as process:
        try:
            assert process.stdout is not None
            yield Running(process, temporary, process.stdout.readline())
        finally:
            process.kill()
