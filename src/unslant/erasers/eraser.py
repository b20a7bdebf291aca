"""The result of fitting a method: a frozen object that applies to any vectors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.measurement import WordUse
from unslant.core.visible import legible
from unslant.erasers.linear import Dense, LowRank
from unslant.erasers.steps import EachVector, Step, Work
from unslant.erasers.transform import Array, Rows
from unslant.numerics.chunks import (
    one_blas_thread,
    ordered_parallel,
    reuse_freed_memory,
    row_blocks,
)
from unslant.vectors import Vocabulary

BLOCK_BYTES = 4 << 20
"""Small enough for the processor's cache, large enough that starting a block costs nothing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage:
    """One fitted method: its steps, and everything needed to judge it and to fit it again.

    ``removed`` contains the directions that changed vectors no longer have a component along, if
    the method guarantees that.
    """

    expression: str
    steps: tuple[Step, ...]
    removed: Array | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    words: tuple[WordUse, ...] = ()
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    version: str = ""

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

    It acts on a plain array (``apply``), whose rows may be anything of the right width: word
    vectors, a word-piece table, hidden states. If the words of the rows are given, words that
    a method spares or sets individually are handled accordingly.
    """

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        dims = [step.dims for step in self.steps]
        known = [width for pair in dims for width in pair if width is not None]
        for (_, out), (into, _) in pairwise([pair for pair in dims if pair[0] is not None]):
            if out != into:
                raise UnslantError(f"A step of width {into} cannot follow one of width {out}.")
        if not known:
            raise UnslantError("An eraser needs at least one step of a definite width.")

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all stages."""
        return tuple(step for stage in self.stages for step in stage.steps)

    @property
    def expression(self) -> str:
        """The chain of methods as an expression."""
        return " | ".join(stage.expression for stage in self.stages)

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
    def matrix(self) -> Array | None:
        """The matrix M of x → x M for a word that is not singled out; None if not linear."""
        product = np.eye(self.dim)
        for step in self.steps:
            if not isinstance(step, EachVector):
                continue
            if not isinstance(step.transform, LowRank | Dense) or step.transform.moves_zero:
                return None
            product = product @ step.transform.matrix
        return product if self.acts_on_any_vector else None

    def then(self, other: "Eraser") -> "Eraser":
        """This eraser followed by the other."""
        return Eraser((*self.stages, *other.stages))

    def apply(self, rows: Rows, words: Sequence[str] | Vocabulary | None = None) -> Rows:
        """The rows transformed, as a new array of the same precision, float32 or float64.

        Without ``words`` every row is mapped, and steps for individual words are skipped: no
        word is spared or set.
        """
        rows = np.asarray(rows)
        if rows.dtype not in (np.float32, np.float64):
            raise UnslantError(
                f"{self.expression} needs float32 or float64 numbers, not {rows.dtype}. Convert "
                f"them first, with rows.astype(numpy.float32)."
            )
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise UnslantError(
                f"{self.expression} was fitted on vectors of width {self.dim}, but these have the "
                f"shape {rows.shape}. Use rows of that width, or fit it again."
            )
        if words is None and not self.acts_on_any_vector:
            raise UnslantError(
                f"{self.expression} only sets the vectors of individual words. Pass the words of "
                f"the rows too."
            )
        if words is not None and len(words) != len(rows):
            raise UnslantError(f"{len(rows):,} rows need as many words, not {len(words):,}.")
        if not np.isfinite(rows).all():
            row = int((~np.isfinite(rows)).any(axis=1).argmax())
            raise UnslantError(
                f"Row {row} contains a number that is not finite. Remove or correct it."
            )
        after = np.empty((len(rows), self.dim_out), dtype=rows.dtype)
        for _ in self.blocks(rows, words, into=after):
            pass
        return after

    def blocks(
        self,
        rows: Rows,
        words: Sequence[str] | Vocabulary | None = None,
        into: Rows | None = None,
    ) -> Iterator[tuple[slice, Rows]]:
        """The transformed rows block by block, each with its position, in order.

        They are new arrays, or parts of ``into``, to which nothing is copied twice.
        """
        if words is not None and not isinstance(words, Vocabulary):
            words = Vocabulary.of(list(words))
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

        return read_eraser(Path(path))

    def __str__(self) -> str:
        return self.expression
