"""Clustering: whether the most biased words still form two clusters."""

from dataclasses import replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.vocabulary import unit_rows
from unslant.core.errors import DegenerateSubspaceError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import CLUSTERS_DRAWN, Range, Score, share_of_chance, toward
from unslant.core.seeds import generator
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.classifiers import biased_words
from unslant.numerics.linalg import principal_axes
from unslant.subspaces.most_biased import FEWEST
from unslant.vectors import WordVectors

_MOST_POINTS = 2_000


@metric(
    "clustering",
    cites="gonen-goldberg-2019",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=toward(0.5),
        scale=replace(share_of_chance(), needs_baseline=True, only_above=True),
        range=Range(0.5, 1),
        misleads="These are the most biased words, and such words may cluster by topic, not only "
        "by the attribute. Two clusters that follow something else give a low value although the "
        "attribute can still be recovered.",
        drawn=CLUSTERS_DRAWN,
    ),
)
class Clustering:
    """Accuracy with which two clusters separate the words that were most biased.

        a = share of words whose cluster (k-means, k = 2) agrees with their side before
        accuracy = max(a, 1 − a)

    The ``n`` words per side with the largest projections on the direction ``subspace`` of the
    baseline (plain words among the ``vocabulary`` most frequent ones that are not in the concept
    itself) are clustered in the vectors. Vectors are scaled to length 1 first, as in the published
    experiments, unless ``unit_length`` is false.
    """

    subspace: str = ""
    n: Annotated[int, at_least(FEWEST)] = 750
    vocabulary: Annotated[int, at_least(1)] = 50_000
    unit_length: bool = True
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The accuracy, with the V-measure and a plane to draw the words in."""
        from sklearn.cluster import KMeans
        from sklearn.metrics import v_measure_score

        title = f"Clusters of words that leaned most by {subject.name}"
        try:
            biased = biased_words(self, "clustering", vectors, subject, setting)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        rows = unit_rows(vectors, biased.rows) if self.unit_length else vectors.rows_at(biased.rows)
        state = int(generator(self.seed, "clustering").integers(2**31))
        if not (rows != rows[0]).any():
            why = "all of these words have the same vector"
            return Measurement.undefined(why, title=title, words=biased.uses)
        clusters = KMeans(2, n_init=10, random_state=state).fit_predict(rows)
        agreement = float((clusters == biased.is_positive).mean())
        plane = _plane(rows.astype(np.float64))
        shown = _evenly(len(biased), _MOST_POINTS)
        return Measurement(
            title=title,
            value=max(agreement, 1 - agreement),
            details={
                "V-measure": float(v_measure_score(biased.is_positive, clusters)),
                "smaller-cluster": int(np.bincount(clusters, minlength=2).min()),
                **biased.details,
            },
            words=biased.uses,
            points=tuple(
                {
                    "word": biased.words[place],
                    "side": biased.side(place),
                    "cluster": str(clusters[place] + 1),
                    "projection": float(biased.projections[place]),
                    "x": float(plane[place, 0]),
                    "y": float(plane[place, 1]),
                }
                for place in shown
            ),
            warnings=biased.warnings,
        )


def _plane(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The coordinates along the first two principal axes."""
    centred = rows - rows.mean(axis=0)
    axes, _ = principal_axes(centred)
    plane = np.zeros((len(rows), 2))
    plane[:, : min(2, len(axes))] = centred @ axes[:2].T
    return plane


def _evenly(total: int, most: int) -> range:
    """At most ``most`` places, evenly spread."""
    return range(0, total, -(-total // most))
