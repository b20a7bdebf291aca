"""Freed memory given back to the system while a network is trained.

Batches have many lengths, so every step asks for blocks of other sizes. The C library keeps those
that were freed, in pieces that few later blocks fit into, and the process grows by 60 MB a minute
although nothing is held. Blocks mapped one by one (M_MMAP_THRESHOLD) would not be kept, but every
page of them is cleared again in every step, which took 40 % longer.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Return freed blocks to the system, where the C library can (glibc)."""
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library, such as musl
        return None
    return found
