"""Attention over several groups of items, combined from the groups' separate results.

The softmax mean over two groups is ``(1 - w) · mean₁ + w · mean₂`` with ``w = sigmoid(log_total₂ -
log_total₁)``, where ``log_total`` is the logarithm of a group's sum of exponentials. A group that
is combined with many others is therefore computed once, and nothing overflows.
"""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def log_total_and_weights(scores: Scores) -> tuple[Scores, NDArray[np.float32]]:
    """``log Σ exp`` over the last axis and the softmax weights along it.

    A score of -∞ is ignored. If all are ignored, the total is -∞ and all weights are 0.
    """
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    np.copyto(top, 0.0, where=np.isneginf(top))
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    np.divide(weights, total, out=weights, where=total > 0)
    log_total = np.log(total, out=np.full_like(total, -np.inf), where=total > 0)
    log_total += top
    return log_total[..., 0], weights.astype(np.float32)


def share_of_second(first: Scores, second: Scores) -> NDArray[np.float32]:
    """How much of the attention goes to the second group, from the log totals of both.

    ``tanh`` is exact to an ulp of 1 everywhere and, unlike ``1 / (1 + exp(-x))``, never overflows.
    """
    half = (second - first) / 2
    return np.asarray((1.0 + np.tanh(half)) / 2, dtype=np.float32)
