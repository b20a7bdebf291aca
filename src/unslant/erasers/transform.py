"""Maps from vectors to vectors that can be stored in a file.

A transform is a frozen dataclass of arrays and plain values, and its file contains only these. It
works in the precision of its input: float32 in, float32 out.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.vectors import Vocabulary

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


# The steps of an eraser: a map for every vector, or new vectors for certain words.

Work = Callable[[Rows, slice, Rows | None], Rows]
"""Transforms a block of rows, given its position in the vocabulary and its destination."""


@dataclass(frozen=True, eq=False)
class EachVector:
    """A transform of every vector except those of the words in ``spared``."""

    transform: Transform
    spared: tuple[str, ...] = ()

    @property
    def dims(self) -> tuple[int | None, int | None]:
        """The input and output widths."""
        return self.transform.dims

    def work(self, words: Vocabulary | None) -> Work:
        """The operation on blocks of these words; without words, every row is transformed."""
        is_spared = self._is_spared(words)

        def done(block: Rows, place: slice, out: Rows | None) -> Rows:
            after = self.transform.apply(block, out)
            if self.transform.moves_zero:
                suspects = np.flatnonzero(block[:, 0] == 0)  # only these few are checked completely
                after[suspects[~block[suspects].any(axis=1)]] = 0
            if is_spared is not None:
                here = is_spared[place]
                if here.any():
                    after[here] = block[here]
            return after

        return done

    def on_tensor(self, rows: Any, words: Vocabulary | None) -> Any:
        """The rows of a torch tensor (n × d) transformed, in one piece."""
        after = self.transform.on_tensor(rows)
        if self.transform.moves_zero:
            after = after.where((rows != 0).any(dim=-1, keepdim=True), 0)
        is_spared = self._is_spared(words)
        if is_spared is not None:
            after = rows.where(rows.new_tensor(is_spared[:, None]).bool(), after)
        return after

    def _is_spared(self, words: Vocabulary | None) -> NDArray[np.bool_] | None:
        if words is None or not self.spared:
            return None
        rows = words.rows_of(self.spared)
        is_spared = np.zeros(len(words), dtype=bool)
        is_spared[rows[rows >= 0]] = True
        return is_spared


@dataclass(frozen=True, eq=False)
class TheseWords(Frozen):
    """New vectors for certain words; all others are unchanged."""

    words: tuple[str, ...]
    vectors: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        width = np.shape(self.vectors)[-1] if np.ndim(self.vectors) else 0
        check_shapes(f"{len(self.words)} words", (self.vectors, (len(self.words), width)))

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return self.vectors.shape[1], self.vectors.shape[1]

    def work(self, words: Vocabulary | None) -> Work:
        """The operation on blocks of these words; without words there is none."""
        if words is None:
            return lambda block, place, out: _put(block, out)
        rows = words.rows_of(self.words)
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        rows = rows[order]

        def done(block: Rows, place: slice, out: Rows | None) -> Rows:
            first, last = np.searchsorted(rows, (place.start, place.stop))
            if first == last:
                return _put(block, out)
            after = block.copy() if out is None else _put(block, out)
            after[rows[first:last] - place.start] = self.vectors[order[first:last]]
            return after

        return done

    def on_tensor(self, rows: Any, words: Vocabulary | None) -> Any:
        """The rows of a torch tensor (n × d) with those of these words set, in one piece."""
        if words is None:
            return rows
        places = words.rows_of(self.words)
        is_there = places >= 0
        after = rows.clone()
        after[places[is_there].tolist()] = rows.new_tensor(self.vectors[is_there])
        return after


def _put(block: Rows, out: Rows | None) -> Rows:
    if out is None:
        return block
    out[...] = block
    return out


Action = EachVector | TheseWords


def is_tensor(rows: object) -> bool:
    """Whether this is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(rows, torch.Tensor)


def after_all(steps: Sequence[Action], rows: Any, words: Vocabulary | None) -> Any:
    """A tensor of rows (n × d) after all steps, on its device and in its precision.

    Less than single precision is raised to it on the way, also where torch would lower it by
    itself (autocast): what a projection takes out is the small difference of large numbers.
    """
    torch, device = sys.modules["torch"], rows.device.type
    lowers = device != "meta" and torch.is_autocast_enabled(device)
    with torch.autocast(device, enabled=False) if lowers else nullcontext():
        state = rows.float() if rows.dtype.itemsize < 4 else rows
        for step in steps:
            state = step.on_tensor(state, words)
        return state.to(rows.dtype)
