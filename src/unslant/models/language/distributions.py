"""Distributions over the vocabulary at single places of texts: each text is read once.

Distinct sequences of equal length share a batch, so that nothing is padded; the last block and the
head are computed at the asked places alone.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.models.language.gaps import Gap
from unslant.models.language.passes import TOKENS_IN_A_BATCH

if TYPE_CHECKING:
    from unslant.models.language.likelihood import WithHead

NUMBERS_IN_A_BATCH = 1 << 22
"""Each asked place has a number for each piece of the vocabulary, in double precision: 32 MB."""
_ROWS_TOGETHER = 64


def log_distributions(
    predictor: "WithHead", gaps: Sequence[Gap]
) -> Iterator[tuple[list[list[int]], Any]]:
    """Natural logarithms (rows × vocabulary, in double precision) with the gaps of each row."""
    import torch

    asked: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for number, gap in enumerate(gaps):
        asked.setdefault(gap.ids, {}).setdefault(gap.place, []).append(number)
    shapes: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for ids, places in asked.items():
        shapes.setdefault((len(ids), len(places)), []).append(ids)
    for (length, count), sequences in sorted(shapes.items()):
        most = min(
            TOKENS_IN_A_BATCH // length,
            NUMBERS_IN_A_BATCH // (count * predictor.model.layout.pieces),
        )
        for start in range(0, len(sequences), max(1, most)):
            chosen = sequences[start : start + max(1, most)]
            positions = torch.tensor([list(asked[ids]) for ids in chosen])
            logits = predictor.logits(torch.tensor(chosen), positions).flatten(0, 1)
            rows = [numbers for ids in chosen for numbers in asked[ids].values()]
            yield rows, logits.double().log_softmax(dim=-1)


def log_probabilities_of(predictor: "WithHead", gaps: Sequence[Gap]) -> NDArray[np.float64]:
    """The natural logarithm of the probability of each gap's piece."""
    found = np.empty(len(gaps))
    for rows, logs in log_distributions(predictor, gaps):
        for numbers, row in zip(rows, logs, strict=True):
            found[numbers] = row[[gaps[number].piece for number in numbers]].numpy()
    return np.minimum(found, 0)


def whole_distributions(predictor: "WithHead", gaps: Sequence[Gap]) -> Any:
    """The distribution of each gap, one row for each: only for as many as memory holds."""
    import torch

    found = torch.empty((len(gaps), predictor.model.layout.pieces), dtype=torch.float64)
    for rows, logs in log_distributions(predictor, gaps):
        for numbers, row in zip(rows, logs, strict=True):
            found[numbers] = row
    return found


def in_parts(gaps: Sequence[Gap]) -> Iterator[Sequence[Gap]]:
    """The gaps, as many at a time as may have whole distributions in memory."""
    for start in range(0, len(gaps), _ROWS_TOGETHER):
        yield gaps[start : start + _ROWS_TOGETHER]
