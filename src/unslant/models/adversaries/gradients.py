"""The gradient of a predictor's weights joined with those of its adversaries."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unslant.numerics.descent import SHORTEST, perpendicular, product, without, without_each

Gradient = Sequence[Tensor | None]
"""A tensor for each tensor of weights; None if the loss does not depend on it."""
_Flat = NDArray[np.floating[Any]]


def joined(
    predictor: Gradient,
    adversaries: Mapping[str, Gradient],
    alphas: Mapping[str, float],
    projection: str,
) -> tuple[list[Tensor | None], set[str]]:
    """∇L_P − Σ_z [proj_{∇L_z} ∇L_P + α_z ∇L_z], and which adversaries had no direction.

    For ``projection`` see ``AdversarySettings``.
    """
    everything = [predictor, *adversaries.values()]
    used = [_first(each) for each in zip(*everything, strict=True)]
    sizes = [0 if each is None else each.numel() for each in used]
    step = _flat(predictor, sizes)
    opponents = {name: _flat(each, sizes) for name, each in adversaries.items()}
    ends = np.cumsum([0, *sizes]).tolist()
    parts = [slice(0, ends[-1])]
    if projection == "by-tensor":
        parts = [slice(*each) for each in pairwise(ends) if each[0] < each[1]]
    idle = set(opponents)
    if projection != "none":
        for part in parts:
            idle -= _project(step, opponents, part, projection)
    else:
        idle = {name for name, each in opponents.items() if product(each, each) < SHORTEST**2}
    for name, each in opponents.items():
        if alphas[name]:
            step -= alphas[name] * each
    found: list[Tensor | None] = []
    for place, like in enumerate(used):
        own = torch.from_numpy(step[ends[place] : ends[place + 1]])
        found.append(None if like is None else own.view_as(like))
    return found, idle


def _project(step: _Flat, opponents: Mapping[str, _Flat], part: slice, projection: str) -> set[str]:
    """Project a part of the step; the names of the adversaries that had a direction there."""
    vectors = [each[part] for each in opponents.values()]
    if projection == "whole-sum":
        directions = [None if product(u, u) < SHORTEST**2 else u for u in vectors]
        step[part] = without_each(step[part], directions)
    else:
        directions = perpendicular(vectors)
        step[part] = without(step[part], directions)
    return {name for name, u in zip(opponents, directions, strict=True) if u is not None}


def _first(tensors: Gradient) -> Tensor | None:
    return next((each for each in tensors if each is not None), None)


def _flat(gradient: Gradient, sizes: Sequence[int]) -> _Flat:
    """All entries as one new vector."""
    pieces = [
        np.zeros(size, np.float32) if each is None else each.detach().numpy().ravel()
        for each, size in zip(gradient, sizes, strict=True)
    ]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
