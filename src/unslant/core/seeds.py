"""Random numbers that depend on their purpose, not on when they are drawn."""

import hashlib
from numbers import Integral

import numpy as np

from unslant.core.errors import UnslantError


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """A generator for one purpose under one seed.

    The stream depends only on ``seed`` and on the words of ``purpose``, so results do not change
    with the order of work, the number of workers, or other code that draws random numbers.

    >>> a, b = generator(0, "weat", "career"), generator(0, "weat", "career")
    >>> bool(a.random() == b.random())
    True
    """
    check_seed(seed)
    digest = hashlib.sha256("\x1f".join(purpose).encode()).digest()
    key = np.frombuffer(digest[:16], dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(key.tolist())))


def check_seed(seed: int) -> None:
    """Raise an error for an invalid seed."""
    if not isinstance(seed, Integral) or seed < 0:
        raise UnslantError(f"The seed must be an integer of at least 0. Got {seed} instead.")
