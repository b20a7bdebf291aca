"""Calls that end in time, whatever a file made the called library do.

The patterns in a tokenizer file are regular expressions of a library that backtracks, so a hostile
one can need years for one word. Patterns of real tokenizers are too various for a list of allowed
ones. The call therefore runs in a thread of its own, which is given up after a limit. The library
releases Python's lock meanwhile, and the thread does not keep the program from ending.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_time(function: Callable[[], T], seconds: float) -> T:
    """What a function gives; TimeoutError if it takes too long, RuntimeError if it panics."""
    given: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            given.append(function())
        except BaseException as error:  # a panic of compiled code is no Exception
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0] if isinstance(raised[0], Exception) else RuntimeError(str(raised[0]))
    if not given:
        raise TimeoutError(f"no result after {seconds:.0f} seconds")
    return given[0]
