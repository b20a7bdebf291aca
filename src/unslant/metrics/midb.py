"""MIDB: direct bias along several directions, weighted by their explained variance."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.concepts.vocabulary import frequent_words, unit_rows
from unslant.core.errors import DegenerateSubspaceError, UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.direct_bias import both_ends
from unslant.subspaces.principal_axes import NamesDifferences
from unslant.subspaces.subspace import between_two
from unslant.vectors import WordVectors

_MOST_POINTS = 500


@metric(
    "midb",
    cites="dawkins-2021",
    takes="concept",
    needs=VOCABULARY,
    score=Score(
        better=toward(0),
        range=Range(text="any number; within ±1 with unit_length"),
        misleads="It is a signed mean, so leanings to both sides cancel out and 0 does not mean "
        "that words are neutral: check the mean size too. The sign of each axis is a convention, "
        "and centring changes the axes considerably. Without unit_length it also grows with the "
        "length of the vectors.",
    ),
)
class Midb:
    """Mean lean of ordinary words in a subspace of names, each axis weighted by its variance.

        MIDB(x) = Σᵢ aᵢ ⟨gᵢ, x⟩ over the first k axes gᵢ of names, aᵢ the share of variance of gᵢ
        value = mean of MIDB(x) over ordinary words x

    The gᵢ are principal axes of the differences of the two groups' names. The mean is signed, over
    the plain words among the ``vocabulary`` most frequent ones that are not in the concept itself.
    Every axis points to the first group.

    ``centred`` is that of the ``names`` estimator. By default vectors keep their length, as in the
    formula: published values of up to 0.2 are unlikely for vectors of length 1, whose MIDB is at
    most the root of the sum of squared weights. ``unit_length`` scales the words (not the names)
    first, which makes spaces of different scale comparable.
    """

    k: Annotated[int, at_least(1)] = 4
    centred: bool = False
    unit_length: bool = False
    vocabulary: Annotated[int, at_least(1)] = 50_000

    def run(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The signed mean, and the words at both ends."""
        if len(subject.groups) != 2 or not set(subject.groups) <= subject.names.keys():
            raise UndefinedMeasureError(
                f'MIDB needs names for two groups, which "{subject.name}" does not have. For the '
                f"direction between two groups of words, measure "
                f'direct-bias(subspace="{between_two(subject)}"), or use a concept of your own '
                f"with two groups and their [names]."
            )
        title = f"Mean lean of ordinary words along names of {subject.name}"
        estimator = NamesDifferences(k=self.k, centred=self.centred)
        try:
            subspace = estimator.fit(vectors, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title)
        shared = frequent_words(vectors, vectors, subject, self.vocabulary)
        units = (
            unit_rows(vectors, shared.rows) if self.unit_length else vectors.rows_at(shared.rows)
        )
        leans = units @ (np.array(subspace.weights) @ subspace.basis)
        ends = both_ends(leans, _MOST_POINTS)
        weights = {
            f"weight-of-axis-{number}": weight for number, weight in enumerate(subspace.weights, 1)
        }
        return Measurement(
            title=title,
            value=float(leans.mean()),
            details={
                "mean-size": float(np.abs(leans).mean()),
                "direction": subspace.estimator,
                **weights,
                **shared.details,
            },
            words=(*shared.uses, *subspace.words),
            points=tuple(
                {"word": word, "lean": float(lean)}
                for word, lean in zip(shared.words.take(ends), leans[ends], strict=True)
            ),
            warnings=subspace.warnings,
        )
