"""A graded rotation in one plane that makes two directions orthogonal."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.erasers.transform import Frozen, Rows, check_shapes, transform
from unslant.numerics.linalg import graded_rotation, plane_of, safe_angle

_ROUNDING = 1e-6
"""The tolerance for unit lengths of vectors computed in single precision."""


@transform("graded-rotation")
@dataclass(frozen=True, eq=False)
class GradedRotation(Frozen):
    """Keeps ``kept``, rotates ``turned`` until it is orthogonal, and grades in between.

    Both are unit vectors at most a right angle apart. The rotation is about ``centre``, of which
    only the part in their plane matters, or about 0; then every vector keeps its length.
    """

    kept: Array
    turned: Array
    centre: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = (np.size(self.kept),)
        check_shapes("a rotation", (self.kept, shape), (self.turned, shape), (self.centre, shape))
        with np.errstate(over="ignore", invalid="ignore"):  # huge numbers are refused below
            lengths = np.linalg.norm([self.kept, self.turned], axis=1)
        are_units = np.allclose(lengths, 1, atol=_ROUNDING)
        if not are_units or not 0 < safe_angle(self.kept, self.turned) < math.pi / 2 + _ROUNDING:
            raise UnslantError(
                "A rotation needs two different unit vectors that are at most a right angle apart."
            )

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return len(self.kept), len(self.kept)

    @property
    def moves_zero(self) -> bool:
        """A centre other than 0 moves it."""
        return self.centre is not None

    @property
    def affine(self) -> None:
        """None: the rotation angle depends on the vector."""
        return None

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Rotate each row in the plane."""
        return graded_rotation(rows, self.kept, self.turned, self.centre, out)

    def on_tensor(self, rows: Any) -> Any:
        """Turn each row in the plane, as ``numerics/linalg.py`` explains it."""
        axes, angle = plane_of(self.kept, self.turned)
        plane = rows.new_tensor(axes)
        parts = rows @ plane.T
        if self.centre is not None:
            parts = parts - rows.new_tensor(axes @ self.centre)
        x, y = parts[..., :1], parts[..., 1:]
        lines = y.atan2(x).remainder(math.pi)
        grades = (lines / angle).minimum((math.pi - lines) / (math.pi - angle))
        turns = (math.pi / 2 - angle) * grades
        less, sine = -2 * (turns / 2).sin() ** 2, turns.sin()
        return rows + (less * x - sine * y) * plane[0] + (sine * x + less * y) * plane[1]
