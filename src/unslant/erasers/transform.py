"""Maps from vectors to vectors that can be stored in a file.

A transform is a frozen dataclass of arrays and plain values, and its file contains only these. It
works in the precision of its input: float32 in, float32 out.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.types import Array

Rows = NDArray[np.floating[Any]]
Affine = tuple[Array, Array]
"""M and b of x → x M + b, for rows x."""
T = TypeVar("T", bound=type[Any])


class Transform(Protocol):
    """A transformation of every row, independent of its word."""

    @property
    def dims(self) -> tuple[int | None, int | None]:
        """The input and output widths; None if any width is accepted."""

    @property
    def moves_zero(self) -> bool:
        """Whether the zero vector would change; erasers leave such rows unchanged."""

    @property
    def affine(self) -> Affine | None:
        """(M, b) where the transform is x → x M + b for rows x; None where it is not."""

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """The rows transformed, as a new array or, as numpy's functions do it, into ``out``."""

    def on_tensor(self, rows: Any) -> Any:
        """The same for rows that are a torch tensor, by the tensor's own methods."""


class Frozen:
    """Makes the arrays of a dataclass read-only, float64 and in the layout of its file.

    The layout matters: numpy may sum in a different order for a different layout, and an eraser
    must give bit-identical results before and after saving.
    """

    def __post_init__(self) -> None:
        for field in fields(cast(Any, self)):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, frozen(value))
            elif isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
                object.__setattr__(self, field.name, tuple(map(frozen, value)))


def check_shapes(what: str, *pairs: tuple[Any, tuple[int, ...]]) -> None:
    """Check the shapes of arrays; None means that an array is optional."""
    if any(array is not None and np.shape(array) != shape for array, shape in pairs):
        shapes = ", ".join(str(np.shape(array)) for array, _ in pairs if array is not None)
        raise UnslantError(f"The arrays of {what} do not fit together: their shapes are {shapes}.")


def frozen(array: NDArray[Any]) -> Array:
    """A read-only copy in double precision, row after row."""
    copy = np.array(array, dtype=np.float64, order="C")
    copy.flags.writeable = False
    return copy


TRANSFORMS: dict[str, type[Any]] = {}
"""All kinds of transform, by their name in an eraser file."""


def transform(kind: str) -> Callable[[T], T]:
    """Decorate a transform to make it storable as ``kind``."""

    def remember(made: T) -> T:
        TRANSFORMS[kind] = made
        made.kind = kind
        return made

    return remember
