"""Ctrl-C while modules are imported."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """End at once on Ctrl-C: in a half-done import, an exception could be lost, or become another.

    Nothing has been opened yet that would have to be closed. Where a shell lets background jobs
    ignore Ctrl-C, or a program handles it in its own way, that stays.
    """
    before = signal.getsignal(signal.SIGINT)
    if (
        before is not signal.default_int_handler
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    signal.signal(signal.SIGINT, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave(*_: object) -> None:
    os.write(2, b"Interrupted; nothing was half-written.\n")
    os._exit(130)
