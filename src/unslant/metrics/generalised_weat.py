"""The association test for any number of groups."""

from typing import Annotated

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement, PValue
from unslant.core.parameters import at_least
from unslant.core.score import DIFFERENCE, Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import sets_of
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.vectors import Space


@metric(
    "generalised-weat",
    cites="swinger-2019",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        scale=DIFFERENCE,
        range=Range(text="unbounded; 0 is no association"),
        misleads="It grows with the number of groups and their distance, so tests with different "
        "sets are not comparable. Only the pairing of targets and attributes in the test counts.",
    ),
)
class GeneralisedWeat:
    """Does each of several target groups associate with the attribute set in the same position?

        Σᵢ ⟨mean(Xᵢ) − X̄, mean(Aᵢ) − Ā⟩

    Xᵢ are the target groups and Aᵢ the attribute sets, of unit vectors; X̄ and Ā are the means of
    the group means. The p-value shuffles the target words over the groups, keeping their sizes.
    """

    resamples: Annotated[int, at_least(1)] = 10_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The sum of products with its p-value and interval."""
        targets, attributes = tuple(subject.targets), tuple(subject.attributes)
        if len(targets) != len(attributes) or len(targets) < 2:
            raise UndefinedMeasureError(
                f"Generalised WEAT needs as many targets as attributes, at least two; {subject} "
                f"has {len(targets)} and {len(attributes)}."
            )
        sets = sets_of(space, subject, setting)
        rows = [sets.directions(name) for name in (*targets, *attributes)]
        count, purpose = len(targets), f"generalised-weat {subject.content_hash}"

        def total(samples: tuple[Indices, ...]) -> Array:
            means = [row[sample].mean(axis=1) for row, sample in zip(rows, samples, strict=True)]
            return _statistic(np.stack(means[:count], axis=1), np.stack(means[count:], axis=1))

        value = float(total(tuple(np.arange(len(row))[None] for row in rows))[0])
        measurement = Measurement(
            title=subject.title,
            value=value,
            p=None
            if setting.values_only
            else self._p_value(rows[:count], rows[count:], value, purpose),
            details={"groups": count},
            words=sets.uses,
        )
        return over_words(
            measurement,
            total,
            sets,
            (*targets, *attributes),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )

    def _p_value(
        self, targets: list[Array], attributes: list[Array], value: float, purpose: str
    ) -> PValue:
        rng = generator(self.seed, "shuffles", purpose)
        pooled = np.concatenate(targets)
        sizes = [len(target) for target in targets]
        ends = np.cumsum(sizes)
        centred = np.stack([attribute.mean(axis=0) for attribute in attributes])
        centred = centred - centred.mean(axis=0)
        scores = pooled @ centred.T  # what each word would add to each group
        extreme = 0
        for _ in range(self.resamples):
            order = rng.permutation(len(pooled))
            parts = np.split(order, ends[:-1])
            found = sum(scores[part, group].mean() for group, part in enumerate(parts))
            extreme += found >= value - 1e-12
        return PValue(
            value=(extreme + 1) / (self.resamples + 1),
            how="monte carlo",
            alternative="greater",
            outcomes=self.resamples + 1,
        )


def _statistic(targets: Array, attributes: Array) -> Array:
    """Σ_i ⟨X_i − X̄, A_i − Ā⟩ for samples × groups × components."""
    left = targets - targets.mean(axis=1, keepdims=True)
    right = attributes - attributes.mean(axis=1, keepdims=True)
    return np.asarray((left * right).sum(axis=(1, 2)))
