"""Changes to the content of our own files that leave it well formed, and often not fitting."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from unslant.core.sealed import Tensors

Path = tuple[str | int, ...]

OTHERS: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 0.5, -2.5, 1e300, 10**17, "", "x", "1", "\n", "é\x1b[31m",
    "a" * 5_000, [], [[]], [0], ["x"], ["x", "x"], [None, {}], {}, {"x": 0}, {"0": []},
)  # fmt: skip
"""What takes the place of a value: every type, the empty, the huge and the odd."""


def changed(value: Any, draw: random.Random) -> Any:
    """A copy of plain JSON values with one thing changed: a value, a key, an order or a length."""
    value = copy.deepcopy(value)
    path = draw.choice(list(_paths(value)))
    parent, key = _at(value, path[:-1]), path[-1]
    kind = draw.randrange(6)
    if kind == 0 and isinstance(parent, dict):
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[draw.choice(("x", "", str(key) * 2))] = parent[key]
    elif kind == 2 and isinstance(parent[key], list) and parent[key]:
        parent[key] = draw.choice(
            (parent[key] * 2, parent[key][:-1], parent[key][::-1], [parent[key]])
        )
    elif kind == 3:
        parent[key] = _nested(draw.choice((3, 400)))
    elif kind == 4:  # what stands elsewhere in the same file
        parent[key] = copy.deepcopy(_at(value, draw.choice(list(_paths(value)))))
    else:
        parent[key] = draw.choice(OTHERS)
    return value


def _paths(value: Any, at: Path = ()) -> Iterator[Path]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        yield (*at, key)
        if isinstance(part, dict | list):
            yield from _paths(part, (*at, key))


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def _with(value: float) -> Callable[[Any], Any]:
    def put(array: Any) -> Any:
        array = np.array(array, dtype=np.float64)
        array.flat[:1] = value
        return array

    return put


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda array: array.T,
    "flat": lambda array: array.reshape(-1),
    "deeper": lambda array: array[None],
    "a column": lambda array: array.reshape(-1, 1),
    "wider": lambda array: np.concatenate([array, array], axis=-1),
    "longer": lambda array: np.concatenate([array, array], axis=0),
    "narrower": lambda array: array[..., :-1],
    "shorter": lambda array: array[:-1],
    "empty": lambda array: array[:0],
    "without width": lambda array: array[..., :0],
    "one number": lambda array: array.reshape(-1)[0],
    "single": lambda array: array.astype(np.float32),
    "whole numbers": lambda array: array.astype(np.int64),
    "truth values": lambda array: array > 0,
    "not a number": _with(np.nan),
    "infinite": _with(np.inf),
    "huge": _with(1e300),
    "huge everywhere": lambda array: np.full(array.shape, 1e300),
    "zero": lambda array: np.zeros(array.shape),
}


def changed_arrays(tensors: Tensors, draw: random.Random) -> tuple[Tensors, str]:
    """The arrays with one of them changed, gone, added or under another's name."""
    found, name = dict(tensors), draw.choice(sorted(tensors))
    how = draw.choice((*ARRAYS, "gone", "added", "renamed", "another's"))
    if how == "gone":
        del found[name]
    elif how == "added":
        found[draw.choice(("x", f"{name}.0", "0.9.read", "0.removed"))] = found[name]
    elif how == "renamed":
        found[f"{name}x"] = found.pop(name)
    elif how == "another's":
        found[name] = found[draw.choice(sorted(tensors))]
    else:
        found[name] = ARRAYS[how](found[name])
    return found, f"{name} {how}"
