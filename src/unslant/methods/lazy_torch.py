"""Random numbers, batches and steps for methods that train with torch.

All random numbers are drawn by NumPy and one thread does the arithmetic, so that a seed
always gives the same bits, and torch's own generator and the caller's settings are unchanged.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


def dropout(torch: Any, rng: np.random.Generator, rate: float) -> Callable[[Any], Any]:
    """A function that sets a share of the components to 0 and scales up the others."""

    def dropped(rows: Any) -> Any:
        if rate == 0:
            return rows
        keep = rng.random(tuple(rows.shape), dtype=np.float32) >= rate
        return rows * torch.tensor(keep) / (1 - rate)

    return dropped


def batches(rng: np.random.Generator, count: int, size: int) -> Iterator[NDArray[np.int64]]:
    """The numbers below ``count`` in random order, ``size`` at a time."""
    order = rng.permutation(count)
    for start in range(0, count, size):
        yield order[start : start + size]


def tensor(torch: Any, values: NDArray[np.float64]) -> Any:
    """Numbers for torch, in single precision."""
    return torch.tensor(values, dtype=torch.float32)


def free(torch: Any, values: NDArray[np.float64]) -> Any:
    """Parameters that start from these values."""
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def descend(optimiser: Any, loss: Any) -> None:
    """One step against the gradient of a loss."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def copied(parameters: list[Any]) -> list[Any]:
    """The current values of parameters."""
    return [parameter.detach().clone() for parameter in parameters]


def restore(torch: Any, parameters: list[Any], values: list[Any]) -> None:
    """Set parameters to earlier values."""
    with torch.no_grad():
        for parameter, value in zip(parameters, values, strict=True):
            parameter.copy_(value)
