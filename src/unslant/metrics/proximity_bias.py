"""Proximity bias: the share of a word's neighbours that are close because of bias."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordSets
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import SMALLER, Range, Score
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import neutral_list
from unslant.metrics.neighbourhoods import biased_neighbourhoods
from unslant.metrics.uncertainty import over_words
from unslant.vectors import WordVectors


@metric(
    "proximity-bias",
    cites="kumar-2020",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=SMALLER,
        range=Range(0, 1),
        misleads="Whether a neighbour counts depends on a threshold, and its indirect bias comes "
        "from the vectors before debiasing, so values need the same baseline to be comparable.",
    ),
)
class ProximityBias:
    """Share of the neighbours of neutral words that are close because of the bias direction.

        η(w) = #{u ∈ N(w) : β(w, u) > θ} / |N(w)|
        value = mean of η(w) over neutral words w

    N(w) are the ``n`` nearest words by cosine in the vectors; β (see indirect-bias) and the
    direction ``subspace`` are those of the baseline, and θ is ``threshold``. The words are those of
    ``neutral``, by default the concept's first such list. Neighbours are plain words among the
    ``vocabulary`` most frequent ones that are not in the concept itself, and the neutral words.
    """

    subspace: str = ""
    neutral: str = ""
    n: Annotated[int, at_least(1)] = 100
    threshold: float = 0.03
    vocabulary: Annotated[int, at_least(1)] = 50_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The mean share, and that of each word."""
        name = neutral_list(subject, self.neutral, "proximity bias")
        title = f"Neighbours of {name} that owe their nearness to {subject.name}"
        try:
            neighbourhoods = biased_neighbourhoods(
                vectors,
                subject,
                setting,
                words=name,
                vocabulary=self.vocabulary,
                n=self.n,
                threshold=self.threshold,
                subspace=self.subspace,
            )
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        shares = neighbourhoods.shares
        plain = Measurement(
            title=title,
            value=float(shares.mean()),
            details={
                "direction": neighbourhoods.subspace.estimator,
                "neighbours": neighbourhoods.neighbours,
                "pairs-left-undefined": neighbourhoods.undefined_pairs,
                **neighbourhoods.candidates.details,
            },
            words=(*neighbourhoods.words.uses, *neighbourhoods.subspace.words),
            points=tuple(
                {"word": word, "proximity-bias": float(share)}
                for word, share in zip(neighbourhoods.words.uses[0].used, shares, strict=True)
            ),
            warnings=neighbourhoods.warnings,
        )
        return over_words(
            plain,
            lambda samples: np.asarray(shares[samples[0]].mean(axis=1)),
            WordSets(vectors, {name: tuple(neighbourhoods.words.words)}, neighbourhoods.words.uses),
            (name,),
            seed=self.seed,
            purpose=f"proximity-bias {name} {subject.content_hash}",
            values_only=setting.values_only,
        )
