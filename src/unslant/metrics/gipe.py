"""GIPE: biased neighbourhoods of an entire vocabulary in one number."""

from typing import Annotated, Literal

import numpy as np

from unslant.concepts import Concept
from unslant.concepts.vocabulary import MOST_FREQUENT
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import SMALLER, Range, Score
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.neighbourhoods import biased_neighbourhoods
from unslant.vectors import WordVectors

_MOST_POINTS = 1_000


@metric(
    "gipe",
    cites="kumar-2020",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=SMALLER,
        range=Range(0, 1),
        misleads="Words that are often neighbours of biased words have more weight, so hubs and "
        "frequency affect it. Its indirect bias comes from the vectors before debiasing, so "
        "values are comparable only with the same baseline, vocabulary and threshold.",
    ),
)
class Gipe:
    """Gender-based illicit proximity estimate: weighted share of neighbours due to bias.

        η(w) = #{u ∈ N(w) : β(w, u) > θ} / |N(w)|
        γ(w) = 1 + #{v : w ∈ N(v), β(v, w) > θ} / #{v : w ∈ N(v)}
        GIPE = Σ γ(w) η(w) / Σ γ(w)

    N(w) are the nearest words of w in the vectors; β is the indirect bias (see indirect-bias) in
    the baseline and θ the ``threshold``. η is the proximity bias of a word; γ gives more weight to
    words that are often neighbours because of bias.

    ``words`` is "most-frequent", the plain words among the ``vocabulary`` most frequent ones that
    are not in the concept itself, or the name of a list; ``n`` neighbours are searched for among
    both. A word that is no word's neighbour has weight ``no_incoming``: 1 by the
    definition, 0 in the authors' program. ``subspace`` is an estimator, by default the concept's
    direction, fitted on the baseline.
    """

    subspace: str = ""
    words: str = MOST_FREQUENT
    n: Annotated[int, at_least(1)] = 100
    threshold: float = 0.03
    no_incoming: Literal[0, 1] = 1
    vocabulary: Annotated[int, at_least(1)] = 50_000

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The weighted mean, with the words that contribute most."""
        title = f"Neighbourhoods that owe their nearness to {subject.name}"
        try:
            found = biased_neighbourhoods(
                vectors,
                subject,
                setting,
                words=self.words,
                vocabulary=self.vocabulary,
                n=self.n,
                threshold=self.threshold,
                subspace=self.subspace,
            )
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        weights = 1 + found.biased_incoming / np.maximum(found.incoming, 1)
        is_alone = found.incoming == 0
        weights[is_alone] = self.no_incoming
        if not weights.any():
            why = "no word is a neighbour of another, and such words have no weight"
            return Measurement.undefined(why, title=title, words=found.words.uses)
        carried = weights * found.shares
        order = np.argsort(-carried, kind="stable")[:_MOST_POINTS]
        return Measurement(
            title=title,
            value=float(carried.sum() / weights.sum()),
            details={
                "direction": found.subspace.estimator,
                "plain-mean": float(found.shares.mean()),
                "words-that-are-no-neighbour": int(is_alone.sum()),
                "neighbours": found.neighbours,
                "pairs-left-undefined": found.undefined_pairs,
                **found.candidates.details,
            },
            words=(*found.words.uses, *found.subspace.words),
            points=tuple(
                {"word": word, "proximity-bias": float(share), "weight": float(weight)}
                for word, share, weight in zip(
                    found.words.words.take(order), found.shares[order], weights[order], strict=True
                )
            ),
            warnings=found.warnings,
        )
