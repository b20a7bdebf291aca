"""The entry point of the ``unslant`` command: light, so that Ctrl-C is heeded from the start."""

from unslant.cli.interrupts import leaving_at_once
from unslant.cli.streams import open_closed_streams


def main() -> None:
    """Import the command line and run it."""
    closed = open_closed_streams()  # before anything else is opened
    with leaving_at_once():
        from unslant.cli.shared import run
        from unslant.cli.verbs import app
    run(app, closed)
