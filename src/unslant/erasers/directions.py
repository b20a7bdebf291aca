"""How many directions an eraser acts along: what a random control has to match."""

import numpy as np

from unslant.core.types import Array
from unslant.erasers.eraser import Eraser
from unslant.erasers.rotation import GradedRotation
from unslant.erasers.steps import EachVector
from unslant.erasers.transform import Transform
from unslant.erasers.unit_length import UnitLength
from unslant.numerics.rotation import plane_of

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
