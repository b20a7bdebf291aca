"""The result of fitting a method: a frozen object that applies to any vectors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.expression import Chain, Step
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.core.visible import legible
from unslant.erasers.linear import UnitLength
from unslant.erasers.rotation import GradedRotation
from unslant.erasers.transform import (
    Action,
    Affine,
    EachVector,
    Rows,
    Transform,
    Work,
    after_all,
    is_tensor,
)
from unslant.numerics.chunks import (
    one_blas_thread,
    ordered_parallel,
    reuse_freed_memory,
    row_blocks,
)
from unslant.numerics.linalg import plane_of
from unslant.vectors import Vocabulary

_FLOATS = (np.float16, np.float32, np.float64)
BLOCK_BYTES = 4 << 20
"""Small enough for the processor's cache, large enough that starting a block costs nothing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage:
    """One fitted method: its steps, and everything needed to judge it and to fit it again.

    ``method`` is the method as requested, and ``name`` its name in a lineage, which no other
    parameters share. ``removed`` contains the directions that changed vectors no longer
    have a component along, if the method guarantees that.
    """

    method: Step
    name: str
    steps: tuple[Action, ...]
    removed: Array | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    words: tuple[WordUse, ...] = ()
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    version: str = ""

    @property
    def widths(self) -> set[tuple[int]]:
        """The input and output widths of its steps."""
        return {(width,) for step in self.steps for width in step.dims if width is not None}

    @property
    def expression(self) -> str:
        """The method as it can be typed again."""
        return str(self.method)

    def to_dict(self) -> dict[str, Any]:
        """Everything except the arrays, as plain JSON values."""
        plain: dict[str, Any] = {
            "expression": self.expression,
            "parameters": dict(self.parameters),
            "inputs": dict(self.inputs),
            "words": [asdict(use) for use in self.words],
            "details": dict(self.details),
            "warnings": self.warnings,
            "seed": self.seed,
            "version": self.version,
        }
        read: dict[str, Any] = json.loads(json.dumps(plain, allow_nan=False))
        return read


@dataclass(frozen=True, eq=False)
class Eraser:
    """One fitted method or a chain of them, each fitted on the result of the previous one.

    It acts on plain arrays of numpy or torch (``apply``) of any leading shape, whose vectors may
    be anything of the right width: word vectors, a word-piece table, hidden states. If the words
    of the vectors are given, words that a method spares or sets one by one are treated as such.
    """

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        dims = [step.dims for step in self.steps]
        known = [width for pair in dims for width in pair if width is not None]
        for (_, out), (into, _) in pairwise([pair for pair in dims if pair[0] is not None]):
            if out != into:
                raise UnslantError(f"A step of width {into} cannot follow one of width {out}.")
        if not known or not all(known):
            raise UnslantError("An eraser needs at least one step of a definite width.")
        for stage in self.stages:
            if stage.removed is not None and stage.removed.shape[1:] not in stage.widths:
                raise UnslantError(
                    f"The removed directions of {stage.name} have the shape {stage.removed.shape}, "
                    f"which does not fit vectors of width {self.dim}."
                )

    @property
    def steps(self) -> tuple[Action, ...]:
        """The steps of all stages."""
        return tuple(step for stage in self.stages for step in stage.steps)

    @property
    def expression(self) -> str:
        """The chain of methods, as it can be typed again."""
        return str(Chain(tuple(stage.method for stage in self.stages)))

    @property
    def dim(self) -> int:
        """The width of the input vectors."""
        return next(step.dims[0] for step in self.steps if step.dims[0] is not None)

    @property
    def dim_out(self) -> int:
        """The width of the output vectors."""
        return next(step.dims[1] for step in reversed(self.steps) if step.dims[1] is not None)

    @property
    def acts_on_any_vector(self) -> bool:
        """Whether it maps vectors, rather than only setting those of certain words."""
        return any(isinstance(step, EachVector) for step in self.steps)

    @property
    def affine(self) -> Affine | None:
        """(M, b) of x → x M + b for a vector that is not singled out; None if it is not affine.

        The exception is the zero vector, which means "no vector": ``apply`` keeps it.
        """
        matrix, offset = np.eye(self.dim), np.zeros(self.dim)
        for step in self.steps:
            if not isinstance(step, EachVector):
                continue
            if step.transform.affine is None:
                return None
            by, plus = step.transform.affine
            matrix, offset = matrix @ by, offset @ by + plus
        return (matrix, offset) if self.acts_on_any_vector else None

    def then(self, other: "Eraser") -> "Eraser":
        """This eraser followed by the other."""
        return Eraser((*self.stages, *other.stages))

    @overload
    def apply(self, rows: Rows, words: Sequence[str] | Vocabulary | None = None) -> Rows: ...

    @overload
    def apply(self, rows: Any, words: Sequence[str] | Vocabulary | None = None) -> Any: ...

    def apply(self, rows: Any, words: Sequence[str] | Vocabulary | None = None) -> Any:
        """The vectors (…, d) transformed, as a new array of the same kind, shape and precision.

        ``rows`` is an array of numpy or a tensor of torch, which stays on its device and through
        which gradients flow. Half precision is computed in single precision. Without ``words``
        every vector is mapped, and steps for individual words are skipped: no word is spared or
        set.
        """
        rows = rows if is_tensor(rows) else np.asarray(rows)
        self._check_vectors(rows)
        flat = rows.reshape(-1, self.dim)
        self._check_words(len(flat), words)
        if words is not None and not isinstance(words, Vocabulary):
            words = Vocabulary.of(list(words))
        if is_tensor(rows):
            after = after_all(self.steps, flat, words)
            is_lost = ~after.detach().isfinite().all(dim=-1).cpu().numpy()
            given = flat.detach().isfinite().all(dim=-1).cpu().numpy() if is_lost.any() else ()
        else:
            given = np.isfinite(flat).all(axis=1)
            self._check_finite(given, given, rows)
            single = flat.astype(np.float32) if rows.dtype == np.float16 else flat
            after = np.empty((len(flat), self.dim_out), dtype=single.dtype)
            for _ in self.blocks(single, words, into=after):
                pass
            with np.errstate(over="ignore"):  # reported below, with its row
                after = after.astype(rows.dtype, copy=False)
            is_lost = ~np.isfinite(after).all(axis=1)
        self._check_finite(~is_lost, given, rows)
        return after.reshape((*rows.shape[:-1], self.dim_out))

    def _check_vectors(self, rows: Any) -> None:
        is_float = rows.is_floating_point() if is_tensor(rows) else rows.dtype in _FLOATS
        if not is_float:
            raise UnslantError(
                f"{self} needs floating-point numbers of 16, 32 or 64 bits, not {rows.dtype}. "
                f"Convert them first, with rows.astype(numpy.float32) or tensor.float()."
            )
        if rows.ndim == 0 or rows.shape[-1] != self.dim:
            raise UnslantError(
                f"{self} was fitted on vectors of width {self.dim}, but these have the shape "
                f"{tuple(rows.shape)}. Use vectors of that width, or fit it again."
            )

    def _check_words(self, count: int, words: Sequence[str] | Vocabulary | None) -> None:
        if words is None and not self.acts_on_any_vector:
            raise UnslantError(
                f"{self} only sets the vectors of individual words. Pass the words of the "
                f"vectors too."
            )
        if words is not None and len(words) != count:
            raise UnslantError(f"{count:,} vectors need as many words, not {len(words):,}.")

    def _check_finite(self, is_kept: Any, was_finite: Any, rows: Any) -> None:
        """Refuse vectors that are not finite, or were and are so no more."""
        if is_kept.all():
            return
        first = int(is_kept.argmin())
        place = ", ".join(str(n) for n in np.unravel_index(first, rows.shape[:-1] or (1,)))
        if was_finite[first]:
            raise UnslantError(
                f"{self} gives vector {place} a number that does not fit into {rows.dtype}. Scale "
                f"the vectors down first."
            )
        raise UnslantError(
            f"Vector {place} contains a number that is not finite. Remove or correct it."
        )

    def blocks(
        self,
        rows: Rows,
        words: Vocabulary | None = None,
        into: Rows | None = None,
    ) -> Iterator[tuple[slice, Rows]]:
        """The transformed rows block by block, each with its position, in order.

        They are new arrays, or parts of ``into``, to which nothing is copied twice.
        """
        works: list[Work] = [step.work(words) for step in self.steps]

        def through(place: slice) -> Rows:
            block: Rows = rows[place]
            for work in works[:-1]:
                block = work(block, place, None)
            return works[-1](block, place, None if into is None else into[place])

        def done(place: slice) -> tuple[slice, Rows]:
            try:
                with np.errstate(over="raise", invalid="raise"):
                    return place, through(place)
            except FloatingPointError as error:
                with np.errstate(all="ignore"):
                    block = through(place)
                lost = (~np.isfinite(block)).any(axis=1)
                if not lost.any():  # an intermediate overflow did no harm
                    return place, block
                row = place.start + int(lost.argmax())
                which = f"row {row}" if words is None else f'"{legible(words[row])}"'
                raise UnslantError(
                    f"{self} gives {which} a number that does not fit into {rows.dtype}. Scale the "
                    f"vectors down first."
                ) from error

        width = rows.dtype.itemsize * max(self.dim, self.dim_out)
        reuse_freed_memory()
        with one_blas_thread():
            yield from ordered_parallel(done, row_blocks(len(rows), width, BLOCK_BYTES))

    def save(self, path: str | Path) -> Path:
        """Write it to a safetensors file, completely or not at all."""
        from unslant.erasers.store import write_eraser

        return write_eraser(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> "Eraser":
        """The eraser written by :meth:`save`."""
        from unslant.erasers.store import read_eraser

        if not isinstance(path, str | PathLike):
            raise UnslantError(f"Expected the path of an eraser file, not {type(path).__name__}.")
        return read_eraser(Path(path))

    def __str__(self) -> str:
        return self.expression


# How many directions an eraser acts along: what a random control has to match.

UNTOUCHED = 1e-2
"""A direction counts if vectors move along it by this share of the furthest move, or more."""


def directions_touched(eraser: Eraser) -> int | None:
    """How many directions an eraser removes or weakens; None if no such number describes it.

    This is the rank of its matrix minus the identity. Scaling vectors to length 1 touches no
    direction, and a rotation touches the two of its plane. Words that a method sets one by one do
    not count where it also maps every other vector. A network, vectors set for single words alone,
    and a map that acts along every direction have no number: no random removal is like them.
    """
    matrix = np.eye(eraser.dim)
    for step in eraser.steps:
        if not isinstance(step, EachVector) or isinstance(step.transform, UnitLength):
            continue
        part = _matrix(step.transform)
        if part is None:
            return None
        matrix = matrix @ part
    left = np.zeros((eraser.dim, eraser.dim))
    width = min(matrix.shape[1], eraser.dim)  # dimensions that were dropped count as removed
    left[:, :width] = matrix[:, :width]
    sizes = np.linalg.svd(left - np.eye(eraser.dim), compute_uv=False)
    touched = int((sizes > UNTOUCHED * sizes[0]).sum()) if sizes[0] > 0 else 0
    return touched if 0 < touched < eraser.dim else None


def _matrix(transform: Transform) -> Array | None:
    """A matrix that touches the directions that a transform touches; None if there is none."""
    if isinstance(transform, GradedRotation):
        plane, _ = plane_of(transform.kept, transform.turned)
        return np.eye(plane.shape[1]) - plane.T @ plane
    return None if transform.affine is None else transform.affine[0]
