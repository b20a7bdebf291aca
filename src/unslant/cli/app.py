"""The entry point of the ``unslant`` command: light, so that Ctrl-C is heeded from the start."""

import os
import signal


def main() -> None:
    """Import the command line and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # not where a shell lets background jobs ignore it
        signal.signal(signal.SIGINT, _leave)
    from unslant.cli.shared import run
    from unslant.cli.verbs import app

    signal.signal(signal.SIGINT, before)
    run(app)


def _leave(*_: object) -> None:
    """End at once: an exception here could be lost, or turned into another, in a half-done import.

    Nothing has been opened yet that would have to be closed.
    """
    os.write(2, b"Interrupted; nothing was half-written.\n")
    os._exit(130)
