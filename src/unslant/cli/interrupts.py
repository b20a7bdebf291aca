"""Ctrl-C and SIGTERM: during imports, and while a command runs."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTED, TERMINATED = 130, 143
"""The shells' exit codes for processes ended by these signals."""

SENTENCES = {
    INTERRUPTED: "Interrupted; nothing was half-written.",
    TERMINATED: "Stopped by SIGTERM; nothing was half-written.",
}


class StopRequest(KeyboardInterrupt):
    """The exception raised by SIGTERM.

    A class of its own, because Python ends itself by SIGINT (130) if a plain KeyboardInterrupt
    has passed through code that was run from text, as libraries do, even if it was caught later.
    """


class Terminated:
    """The handler of SIGTERM: stop as after Ctrl-C, and remember the signal.

    Only the first one counts. ``timeout`` and some supervisors send several at once, and a second
    exception would arrive while the first is still being reported.
    """

    def __init__(self) -> None:
        self.came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Stop, the first time."""
        if not self.came:
            self.came = True
            raise StopRequest


@contextmanager
def heeding_sigterm() -> Iterator[Terminated]:
    """Heed SIGTERM while a command runs, unless the program handles or ignores it already."""
    handler = Terminated()
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield handler
        return
    signal.signal(signal.SIGTERM, handler)
    try:
        yield handler
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """End at once on either: in a half-done import, an exception could be lost, or become another.

    Nothing has been opened yet that would have to be closed. Where a shell lets background jobs
    ignore Ctrl-C, or a program handles it in its own way, that stays.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {
        number: handler
        for number, handler in before.items()
        if handler in (signal.default_int_handler, signal.SIG_DFL)
        or isinstance(handler, Terminated)
    }
    for number in ours:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)


def _leave(number: int, _: FrameType | None) -> None:
    code = TERMINATED if number == signal.SIGTERM else INTERRUPTED
    os.write(2, f"{SENTENCES[code]}\n".encode())
    os._exit(code)
