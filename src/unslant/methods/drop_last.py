"""The neutral part of GN-GloVe: all components except the last."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import ExpressionError
from unslant.core.parameters import at_least
from unslant.erasers import Dense, EachVector
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.vectors import WordVectors


@debiaser(
    "drop-last",
    cites="zhao-2018",
    guarantees={"linear", "needs-no-words"},
    acts_on=words_only("drops components, and a model needs all of them"),
    misleads="It is only for vectors that were trained to keep the attribute in the last "
    "components; in others they mean nothing in particular. Even in GN-GloVe the "
    "other components are not free of gender.",
)
class DropLast:
    """Drop the last ``n`` components, where GN-GloVe keeps gender; the rest is its w_a.

        w' = (w₁, …, w_{d−n})

    The others stay as they are, so vectors become shorter by ``n``.
    """

    n: Annotated[int, at_least(1)] = 1

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Nothing is estimated."""
        if self.n >= vectors.dim:
            raise ExpressionError(
                f'The "n" parameter of drop-last must be between 1 and {vectors.dim - 1} for '
                f"{vectors.name}. Got {self.n} instead."
            )
        kept = np.eye(vectors.dim, vectors.dim - self.n)
        return Fitted(steps=(EachVector(Dense(kept)),), details={"components-dropped": self.n})
