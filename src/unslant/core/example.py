"""How to try a component: what a command and a line of Python need in addition to its name."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Example:
    """A call of a component that runs unchanged.

    ``call`` is its expression if its name alone is not enough. Without ``of`` it is put to the
    built-in vectors; otherwise ``of`` is what a reader must have, such as ``MODEL``, the folder of
    a language model. ``data`` is a dataset to fetch first, by its name in ``unslant list data``. A
    ``quick`` example has parameters that make it fast, where the defaults take a while.
    """

    call: str = ""
    concept: str = "gender"
    test: str = "career-family"
    of: str = ""
    data: str = ""
    quick: bool = False


PLAIN = Example()
"""On the built-in vectors and the concept gender, with every parameter at its default."""
