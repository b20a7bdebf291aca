"""A space after an eraser, for spaces that give vectors on request."""

import hashlib
from collections.abc import Sequence

from unslant.core.types import Matrix
from unslant.erasers import Eraser
from unslant.vectors import Found, Space


class ErasedSpace:
    """Any space with every vector passed through an eraser when it is asked for."""

    def __init__(self, space: Space, eraser: Eraser) -> None:
        self.space, self.eraser = space, eraser
        self.name = ".".join((space.name, *(stage.name for stage in eraser.stages)))
        self.dim = eraser.dim_out

    @property
    def content_hash(self) -> str:
        """A hash of the space's own hash and of the eraser."""
        parts = [self.space.content_hash, str(self.eraser)]
        if (affine := self.eraser.affine) is not None:
            parts += [hashlib.sha256(part.tobytes()).hexdigest() for part in affine]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """What the space itself has."""
        return self.space.lookup(items, case)

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of items after the eraser."""
        return self.eraser.apply(self.space.rows(items))

    def __repr__(self) -> str:
        return f"<ErasedSpace {self.name} ({self.dim} dimensions)>"
