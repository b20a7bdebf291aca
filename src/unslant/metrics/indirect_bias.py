"""Indirect bias: how much of the similarity of neutral words is due to the bias direction."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept, resolve
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least, between
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import neutral_list
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.numerics.linalg import subspace_share
from unslant.subspaces.estimator import estimate
from unslant.vectors import Space

_MOST_POINTS = 500


@metric(
    "indirect-bias",
    cites="bolukbasi-2016",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(-1, 1, "about −1 to 1"),
        misleads="β is a ratio: for dissimilar words it grows without bound, so only pairs above a "
        "similarity threshold count, and the threshold affects the value. Like direct bias, it "
        "measures only along the given direction.",
    ),
)
class IndirectBias:
    """Share of the similarity of neutral words that is due to the bias direction.

        β(w, v) = (w·v − w⊥·v⊥ / (‖w⊥‖‖v⊥‖)) / (w·v)
        value = mean of β over pairs of neutral words with |w·v| ≥ near

    w and v have length 1, and ⊥ is the part outside the bias subspace. The words are those of
    ``neutral``, by default the concept's first such list. ``subspace`` is an estimator, by default
    the concept's direction. The interval resamples words, not pairs.
    """

    subspace: str = ""
    neutral: str = ""
    near: Annotated[float, between(0, 1)] = 0.25
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The mean over pairs, with the most affected pairs."""
        name = neutral_list(subject, self.neutral, "indirect bias")
        sets = resolve(space, {name: subject.list(name).all_words}, setting.policy)
        title = f"Similarity of {name} owed to the {subject.name} direction"
        try:
            subspace = estimate(self.subspace or None, space, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title, words=sets.uses)
        units = sets.directions(name)
        cosines, inside = units @ units.T, units @ subspace.basis.T
        shares, is_defined = subspace_share(cosines, inside[:, None], inside[None])
        is_near = np.abs(cosines) >= self.near
        np.fill_diagonal(is_near, False)
        counted = (is_near & is_defined).astype(np.float64)
        pairs, undefined = int(counted.sum()) // 2, int((is_near & ~is_defined).sum()) // 2
        if not pairs:
            why = f"no two words in {name} have a defined cosine of {self.near} or more"
            return Measurement.undefined(why, title=title, words=sets.uses)

        def mean_share(samples: tuple[Indices, ...]) -> Array:
            times = _times_drawn(samples[0], len(units))
            total = ((times @ counted) * times).sum(axis=1)
            owed = ((times @ (shares * counted)) * times).sum(axis=1)
            return np.where(total > 0, owed / np.where(total > 0, total, 1), np.nan)

        purpose = f"indirect-bias {name} {subject.content_hash}"
        words = sets.words(name)
        first, second = np.nonzero(np.triu(counted))
        order = np.argsort(-np.abs(shares[first, second]), kind="stable")[:_MOST_POINTS]
        measurement = Measurement(
            title=title,
            value=float((shares * counted).sum() / counted.sum()),
            details={
                "direction": subspace.estimator,
                "pairs": pairs,
                "pairs-left-undefined": undefined,
                "mean-size": float((np.abs(shares) * counted).sum() / counted.sum()),
            },
            words=(*sets.uses, *subspace.words),
            points=tuple(
                {
                    "word": words[a],
                    "other": words[b],
                    "cosine": float(cosines[a, b]),
                    "share": float(shares[a, b]),
                }
                for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True)
            ),
            warnings=subspace.warnings,
        )
        return over_words(
            measurement,
            mean_share,
            sets,
            (name,),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )


def _times_drawn(samples: Indices, size: int) -> Array:
    """How often each word is in each sample; a pair counts by the product of its words' counts."""
    offsets = np.arange(len(samples))[:, None] * size
    counts = np.bincount((samples + offsets).ravel(), minlength=len(samples) * size)
    return counts.reshape(len(samples), size).astype(np.float64)
