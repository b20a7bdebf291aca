"""The single-attribute association test: does one set of words lean to either side?"""

from typing import Annotated

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import cosines, one_of, refuse_overlap, sets_of, two_of
from unslant.metrics.uncertainty import Alternative, over_words, split_p_value
from unslant.numerics.bootstrap import Indices
from unslant.vectors import Space


@metric(
    "single-attribute-weat",
    cites="dawkins-2023",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(-2, 2),
        misleads="It is not standardised, so values of spaces with different spreads of cosines "
        "are not comparable. A set may lean because of its topic rather than the attribute.",
    ),
)
class SingleAttributeWeat:
    """Is one target set closer to the first attributes than to the second?

        s(t) = mean cos(t, A1) − mean cos(t, A2)
        S = mean of s(t) over the target words t

    The words are those of ``target``, by default the first target set. The p-value is over all
    splits of A1 ∪ A2 into sets of these sizes.
    """

    target: str = ""
    alternative: Alternative = "two-sided"
    resamples: Annotated[int, at_least(1)] = 100_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The mean association with its p-value and interval."""
        a1, a2 = two_of(subject, "attributes", "single-attribute WEAT")
        target = one_of(subject, self.target)
        sets = sets_of(space, subject, setting)
        refuse_overlap(sets, a1, a2)
        first, second = cosines(sets, target, a1), cosines(sets, target, a2)
        purpose = f"single-attribute {target} {subject.content_hash}"

        def mean_association(samples: tuple[Indices, ...]) -> Array:
            rows, j1, j2 = samples
            scores = first[:, j1].mean(axis=2) - second[:, j2].mean(axis=2)
            return np.asarray(np.take_along_axis(scores.T, rows, axis=1).mean(axis=1))

        scores = first.mean(axis=1) - second.mean(axis=1)
        names = (target, a1, a2)
        if setting.values_only:
            return Measurement(value=float(scores.mean()), words=sets.uses)
        measurement = Measurement(
            title=f"{subject.title}: {target}",
            value=float(scores.mean()),
            # The mean over targets of each attribute's cosine is all that a split changes.
            p=split_p_value(
                first.mean(axis=0),
                second.mean(axis=0),
                alternative=self.alternative,
                resamples=self.resamples,
                seed=self.seed,
                purpose=purpose,
            ),
            words=sets.uses,
            points=tuple(
                {"word": word, "association": float(score)}
                for word, score in zip(sets.words(target), scores, strict=True)
            ),
        )
        return over_words(
            measurement,
            mean_association,
            sets,
            names,
            seed=self.seed,
            purpose=purpose,
        )
