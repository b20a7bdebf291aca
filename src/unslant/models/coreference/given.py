"""Given spans of documents as tensors, in the order of the text and padded."""

from collections.abc import Sequence

import torch

from unslant.models.coreference.layout import Layout
from unslant.models.coreference.network import CorefNetwork, Found
from unslant.predictors.coreference import Span


def on_given(
    network: CorefNetwork,
    table: torch.Tensor,
    laid: Layout,
    spans: Sequence[Sequence[Span]],
    *,
    prune: bool = True,
) -> Found:
    """What the network says of these spans, which each document has in the order of the text."""
    most = max(1, *map(len, spans)) if len(spans) > 1 else max(1, len(spans[0]))
    begin = torch.from_numpy(laid.starts[:-1])[:, None].repeat(1, most)
    end = begin + 1
    is_span = torch.zeros(begin.shape, dtype=torch.bool)
    for row, (start, own) in enumerate(zip(laid.starts.tolist(), spans, strict=False)):
        if own:
            pairs = torch.tensor(own) + start
            begin[row, : len(own)], end[row, : len(own)] = pairs[:, 0], pairs[:, 1]
            is_span[row, : len(own)] = True
    return network.given(table, laid, begin, end, is_span, prune=prune)
