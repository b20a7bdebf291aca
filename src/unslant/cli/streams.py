"""Standard streams that are closed, or whose reader has left."""

import os
import sys
from contextlib import suppress

READER_LEFT = 141
"""The shells' exit code for a process ended by SIGPIPE, as in ``yes | head``."""


def open_closed_streams() -> tuple[str, ...]:
    """Connect streams that the shell closed (``>&-``) to nothing, and return their names.

    Otherwise the next file to be opened would get the number of the stream, and its text.
    """
    closed = []
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)  # the lowest free number, so mostly this one
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            mode = "w" if number else "r"
            # Stays open to the end of the process, as the streams of Python do.
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
            closed.append(name)
    return tuple(closed)


def discard_output() -> None:
    """Discard unwritten output, or Python would try to flush it again at exit."""
    with suppress(OSError):
        sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
