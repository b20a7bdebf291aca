"""Random-effects meta-analysis (DerSimonian and Laird 1986)."""

from dataclasses import dataclass

import numpy as np

from unslant.core.types import Array


@dataclass(frozen=True, eq=False)
class Combined:
    """The combined effect, the variance between studies, heterogeneity, and Σ w*.

    All have the leading shape of the effects.
    """

    effect: Array
    between: Array
    heterogeneity: Array
    weight: Array


def combined(effects: Array, variances: Array) -> Combined:
    """Effects (… × studies) with their sampling variances, combined along the last axis.

    w = 1/V; Q = Σ w d² − (Σ w d)² / Σ w; τ² = max(0, (Q − (N − 1)) / (Σ w − Σ w² / Σ w));
    w* = 1 / (V + τ²); the effect is Σ w* d / Σ w*. Its standard error √(1/Σ w*) holds only if the
    studies are independent.

    >>> found = combined(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    >>> float(found.effect), float(found.between), float(found.heterogeneity)
    (2.0, 1.0, 2.0)
    """
    w = 1 / variances
    total = w.sum(axis=-1)
    spread = (w * effects**2).sum(axis=-1) - (w * effects).sum(axis=-1) ** 2 / total
    excess = spread - (effects.shape[-1] - 1)
    scale = total - (w**2).sum(axis=-1) / total
    between = np.maximum(0.0, excess / np.where(scale > 0, scale, np.inf))
    star = 1 / (variances + between[..., None])
    weight = star.sum(axis=-1)
    return Combined((star * effects).sum(axis=-1) / weight, between, spread, weight)
