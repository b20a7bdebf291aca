"""Mean average cosine distance, for any number of groups."""

from typing import Annotated

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import cosines, sets_of
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.vectors import Space


@metric(
    "mac",
    cites="manzini-2019",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(1),
        range=Range(0, 2),
        misleads="1 means that targets and attributes are unrelated on average; strong leanings "
        "to both sides cancel out. Compare it with the same words before debiasing, not with 1.",
    ),
)
class MeanAverageCosine:
    """How far are all targets from each attribute set, on average?

        MAC = mean over targets t and attribute sets Aⱼ of (mean over a ∈ Aⱼ of 1 − cos(t, a))

    Every attribute set counts alike, however many words it has.
    """

    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The mean distance with its interval."""
        sets = sets_of(space, subject, setting)
        targets, attributes = tuple(subject.targets), tuple(subject.attributes)
        table = {
            attribute: np.concatenate([cosines(sets, target, attribute) for target in targets])
            for attribute in attributes
        }
        starts = np.cumsum([0, *(sets.size(name) for name in targets[:-1])])

        def distance(samples: tuple[Indices, ...]) -> Array:
            rows = np.concatenate(
                [sample + start for sample, start in zip(samples, starts, strict=False)], axis=1
            )
            parts = []
            for attribute, sample in zip(attributes, samples[len(targets) :], strict=True):
                near = table[attribute][:, sample].mean(axis=2).T
                parts.append(1 - np.take_along_axis(near, rows, axis=1).mean(axis=1))
            return np.asarray(np.mean(parts, axis=0))

        each = {name: 1 - table[name].mean(axis=1) for name in attributes}
        purpose = f"mac {subject.content_hash}"
        words = [word for name in targets for word in sets.words(name)]
        measurement = Measurement(
            title=subject.title,
            value=float(np.mean([values.mean() for values in each.values()])),
            details={
                f"distance-to-{name.replace(' ', '-')}": float(values.mean())
                for name, values in each.items()
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "set": name, "distance": float(distance)}
                for name, distances in each.items()
                for word, distance in zip(words, distances, strict=True)
            ),
        )
        return over_words(
            measurement,
            distance,
            sets,
            (*targets, *attributes),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )
