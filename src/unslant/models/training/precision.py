"""The precision of products while a network is trained; weights are always single."""

from contextlib import AbstractContextManager
from typing import Any

from unslant.core.errors import UnslantError

PRECISIONS = ("single", "bfloat16")


def check_precision(name: str) -> None:
    """Refuse a precision that is none of the two."""
    if name not in PRECISIONS:
        raise UnslantError(f"precision must be {' or '.join(PRECISIONS)}, not {name}.")


def computing_in(name: str) -> AbstractContextManager[Any]:
    """A context in which products are computed in that precision."""
    import torch

    made: AbstractContextManager[Any] = torch.autocast(
        "cpu", dtype=torch.bfloat16, enabled=name == "bfloat16"
    )
    return made
