"""``unslant serve`` as a process of its own, for the pictures, the benchmarks and the tests."""

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

COMMAND = (sys.executable, "-c", "from unslant.cli.app import main; main()", "serve")
SECONDS_TO_END = 20


@dataclass(frozen=True)
class Served:
    """Where a server is, and the file of what it said went wrong.

    ``address`` opens the page in any number of browsers; ``once`` is the printed one.
    """

    root: str
    address: str
    once: str
    process: "subprocess.Popen[str]"
    complaints: IO[str]

    def said(self) -> str:
        """Everything that the server complained of so far."""
        self.complaints.seek(0)
        return self.complaints.read()


@contextmanager
def served(*arguments: str) -> Iterator[Served]:
    """A server on a free port, which is interrupted at the end of the block."""
    token = secrets.token_hex(16)
    environment = {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", "UNSLANT_TOKEN": token}
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as complaints,
        subprocess.Popen(
            [*COMMAND, "--no-browser", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            env={**os.environ, **environment},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://[^ ]+", line)
            if found is None:
                process.wait(SECONDS_TO_END)
                complaints.seek(0)
                raise RuntimeError(f"unslant serve did not start: {line}{complaints.read()}")
            root = found[0].partition("?")[0]
            yield Served(root, f"{root}?token={token}", found[0], process, complaints)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
