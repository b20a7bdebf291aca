"""A graded rotation in one plane that makes two directions orthogonal."""

from dataclasses import dataclass

from unslant.erasers.transform import Array, Frozen, Rows, transform
from unslant.numerics.rotation import graded_rotation


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

    @property
    def dims(self) -> tuple[int, int]:
        """The width does not change."""
        return len(self.kept), len(self.kept)

    @property
    def moves_zero(self) -> bool:
        """A centre other than 0 moves it."""
        return self.centre is not None

    def apply(self, rows: Rows, out: Rows | None = None) -> Rows:
        """Rotate each row in the plane."""
        return graded_rotation(rows, self.kept, self.turned, self.centre, out)
