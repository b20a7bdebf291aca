"""Bias by neighbours: whether a word's neighbours still reveal how it leaned."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordSets
from unslant.concepts.vocabulary import frequent_words, joined, listed_words, unit_rows
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import neutral_list
from unslant.metrics.neighbourhoods import neighbour_progress
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors

_PREFERRED = "professions"


@metric(
    "bias-by-neighbours",
    cites="gonen-goldberg-2019",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=toward(0),
        range=Range(-1, 1),
        misleads="A correlation says nothing about size: neighbourhoods may be as biased as before "
        "and correlate less, or the reverse.",
    ),
)
class BiasByNeighbours:
    """Correlation of how words leaned before with the share of neighbours that leaned the same way.

        lean(w) = g · w/‖w‖ in the baseline
        share(w) = #{u ∈ N(w) : lean(u) > 0} / n, N(w) the n nearest words of w in the vectors
        value = Pearson's r of lean(w) and share(w) over the neutral words w

    g is the direction ``subspace`` of the baseline; the words w are those of ``neutral``, by
    default the concept's professions, or its first list. Neighbours are plain words among the
    ``vocabulary`` most frequent ones that are not in the concept itself, and the neutral words.
    """

    subspace: str = ""
    neutral: str = ""
    n: Annotated[int, at_least(1)] = 100
    vocabulary: Annotated[int, at_least(1)] = 50_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The correlation, with both numbers for every word."""
        preferred = _PREFERRED if _PREFERRED in subject.neutral else ""
        name = neutral_list(subject, self.neutral or preferred, "bias-by-neighbours")
        title = f"Lean of {name} by {subject.name} and that of their neighbours"
        baseline = setting.vectors_before(vectors)
        try:
            direction = estimate(self.subspace or None, baseline, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        axis = direction.one_axis("bias-by-neighbours")
        listed = listed_words(vectors, baseline, subject, name, setting.policy)
        frequent = frequent_words(vectors, baseline, subject, self.vocabulary)
        candidates, queries = joined(frequent, listed)
        leans = unit_rows(baseline, candidates.before) @ axis
        units = unit_rows(vectors, candidates.rows)
        shares = np.empty(len(queries))
        lists = setting.neighbours(units, queries, self.n, neighbour_progress(setting))
        for places, near, _ in lists:
            shares[places] = (leans[near] > 0).mean(axis=1)
        before = leans[queries]
        value = float(_pearson(before[None], shares[None])[0])
        words = (*listed.uses, *direction.words)
        if not np.isfinite(value):
            why = "all words lean equally, or all have the same share of neighbours on one side"
            return Measurement.undefined(why, title=title, words=words)

        def correlation(samples: tuple[Indices, ...]) -> Array:
            return _pearson(before[samples[0]], shares[samples[0]])

        few = min(self.n, len(candidates) - 1)
        warnings = direction.warnings
        if few < self.n:
            warnings += (f"only {few:,} words can be neighbours; {self.n:,} were requested",)
        measurement = Measurement(
            title=title,
            value=value,
            details={
                "direction": direction.estimator,
                "neighbours": few,
                "mean-share-on-the-positive-side": float(shares.mean()),
                **candidates.details,
            },
            words=words,
            points=tuple(
                {"word": word, "projection": float(lean), "share-of-neighbours": float(share)}
                for word, lean, share in zip(listed.uses[0].used, before, shares, strict=True)
            ),
            warnings=warnings,
        )
        return over_words(
            measurement,
            correlation,
            WordSets(vectors, {name: tuple(listed.words)}, listed.uses),
            (name,),
            seed=self.seed,
            purpose=f"bias-by-neighbours {name} {subject.content_hash}",
            values_only=setting.values_only,
        )


def _pearson(first: Array, second: Array) -> Array:
    """The correlation of each row of two matrices, NaN if a row does not vary."""
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    varies = scale > 1e-12
    coefficients = (a * b).sum(axis=1) / np.where(varies, scale, 1.0)
    return np.where(varies, np.clip(coefficients, -1.0, 1.0), np.nan)
