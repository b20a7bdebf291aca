"""The layers of decomposable attention in NumPy, cut where sentences begin to meet."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.types import Matrix


@dataclass(frozen=True)
class Words:
    """What each distinct word brings to any sentence: one row a word.

    ``attend`` gives the scores, as ``attend @ attend.T``. ``own`` (with the bias) and ``aligned``
    are its two parts of the first layer of compare, which is linear in them.
    """

    attend: NDArray[np.float64]
    own: Matrix
    aligned: Matrix


class Layers:
    """Attend, compare, aggregate (Parikh et al. 2016), a ReLU after every layer but the last."""

    def __init__(self, tensors: Mapping[str, Matrix]) -> None:
        self._tensors = tensors
        halves = np.split(tensors["aggregate.0.weight"], 2, axis=1)
        self.premise, self.hypothesis = (np.ascontiguousarray(half.T) for half in halves)
        self.bias = tensors["aggregate.0.bias"]
        self._compare = np.ascontiguousarray(tensors["compare.1.weight"].T)
        self._last = np.ascontiguousarray(tensors["aggregate.1.weight"].T)

    def words(self, rows: Matrix) -> Words:
        """The parts that depend on one word alone.

        Words are few, so this is done in double precision: the scores of attention are
        exponents, where the rounding of large numbers would show.
        """
        x = rows.astype(np.float64) @ self._double("project.weight").T
        attend = x
        for layer in ("attend.0", "attend.1"):
            weight, bias = self._double(f"{layer}.weight"), self._double(f"{layer}.bias")
            attend = np.maximum(attend @ weight.T + bias, 0.0)
        own, aligned = np.split(self._double("compare.0.weight"), 2, axis=1)
        return Words(
            attend,
            (x @ own.T + self._double("compare.0.bias")).astype(np.float32),
            (x @ aligned.T).astype(np.float32),
        )

    def compared(self, joint: Matrix) -> Matrix:
        """The rest of compare, given the sums of both parts of its first layer (overwritten)."""
        np.maximum(joint, 0.0, out=joint)
        found = times(joint, self._compare)
        found += self._tensors["compare.1.bias"]
        return np.maximum(found, 0.0, out=found)

    def answers(self, hidden: Matrix) -> Matrix:
        """The three probabilities, given the first layer of aggregate (overwritten)."""
        np.maximum(hidden, 0.0, out=hidden)
        logits = times(hidden, self._last)
        logits += self._tensors["aggregate.1.bias"]
        logits -= logits.max(axis=-1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=-1, keepdims=True)
        return logits

    def _double(self, name: str) -> NDArray[np.float64]:
        return self._tensors[name].astype(np.float64)


def times(array: Matrix, matrix: Matrix) -> Matrix:
    """``array @ matrix`` as one product; of more than two axes NumPy would make many small ones."""
    rows = array.reshape(-1, array.shape[-1]) @ matrix
    return rows.reshape(*array.shape[:-1], matrix.shape[1])
