"""What the heads of a model contribute to a contrast, to first order, in one pass.

With a_t the result of a head at piece t and g_t the gradient of the mean contrast there, replacing
a_t by a constant m everywhere changes the contrast by Σ g_t · (m − a_t) to first order (gradient ×
activation). It ranks heads; what a head does is shown by ablating it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unslant.core.places import Place
from unslant.core.types import Array
from unslant.models.language.contrasts import Contrasts, GradedScore
from unslant.models.language.hooks import Change
from unslant.models.language.layout import Site


@dataclass(frozen=True)
class HeadAttribution:
    """For each layer and head: the change predicted if it is ablated, and its mean result."""

    predicted: Array
    means: Array
    """Layers × heads × width of a head."""


def head_attribution(
    score: GradedScore, contrasts: Contrasts, *, to_zero: bool = False
) -> HeadAttribution:
    """Gradient × activation of every head for the mean contrast; the mean is over all pieces."""
    import torch

    model = score.model
    layers, heads = model.layout.layers, model.layout.heads
    # Whole states, not a copy of all their columns, which nothing would be computed from.
    places = [Place("layer", n, "attention") for n in range(1, layers + 1)]
    sites = [replace(model.site(place), columns=None) for place in places]
    embeddings = model.site(Place("embeddings"))
    shares = contrasts.signs.mean(axis=0)
    along, gradients, sums = np.zeros((3, layers, heads * model.layout.head_width))
    pieces = 0
    with torch.enable_grad():
        for rows, computed in score.batches(contrasts.questions):
            states: list[Any] = []

            def keep(state: Any, states: list[Any] = states) -> Any:
                states.append(state)
                return state

            reading: list[tuple[Site, Change]] = [
                (embeddings, lambda state: state.detach().requires_grad_()),
                *((site, keep) for site in sites),
            ]
            total = (computed(reading) * torch.tensor(shares[rows], dtype=torch.float32)).sum()
            found = torch.autograd.grad(total, states)
            for layer, (state, gradient) in enumerate(zip(states, found, strict=True)):
                plain, slope = state.detach().double(), gradient.double()
                along[layer] += (plain * slope).sum(dim=(0, 1)).numpy()
                gradients[layer] += slope.sum(dim=(0, 1)).numpy()
                sums[layer] += plain.sum(dim=(0, 1)).numpy()
            pieces += states[0].shape[0] * states[0].shape[1]
    means = np.zeros_like(sums) if to_zero else sums / pieces
    shape = (layers, heads, model.layout.head_width)
    return HeadAttribution(
        predicted=(gradients * means - along).reshape(shape).sum(axis=2),
        means=means.reshape(shape),
    )
