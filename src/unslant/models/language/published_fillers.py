"""How StereoSet's authors score the filler of a gap with a masked language model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.models.language.distributions import log_probabilities_of
from unslant.models.language.gap_piece import gap_sign
from unslant.models.language.gaps import Gap

if TYPE_CHECKING:
    from unslant.models.language.marked import MaskedLikelihood


def published_fillers(likelihood: "MaskedLikelihood", texts: Sequence[str]) -> NDArray[np.float64]:
    """log of (1/n) Σ p(piece | the pieces before it, one gap in its place, the rest of the text).

    The later pieces of the filler are left out. The mean of probabilities, not
    of their logarithms, is published; later pieces of a rare word are near 1 and lift it, which is
    why this is not the default. Each distinct sequence is read once.
    """
    _, sign = gap_sign(likelihood.model)
    gaps: list[Gap] = []
    rows: list[int] = []
    for row, pieces in enumerate(likelihood.read(texts)):
        places = [place for place, _ in pieces.marked]
        after = pieces.ids[places[-1] + 1 :]
        for place in places:
            gaps.append(Gap((*pieces.ids[:place], sign, *after), place, pieces.ids[place]))
            rows.append(row)
    likely = np.exp(log_probabilities_of(likelihood, gaps))
    sums = np.bincount(rows, likely, len(texts))
    found: NDArray[np.float64] = np.log(sums / np.bincount(rows, minlength=len(texts)))
    return found
