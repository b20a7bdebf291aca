"""Relative norm distance: which group centre is closer?"""

from typing import Annotated, Literal

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.errors import UndefinedMeasureError, UnknownNameError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import sets_of, two_of
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.vectors import Space


@metric(
    "rnd",
    cites="garg-2018",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(
            text="unbounded; with unit vectors −2 to 2 for one attribute set, −4 to 4 for two"
        ),
        misleads="Distances grow with vector length, and length follows frequency, unless the "
        "vectors have unit length. The sign says which centre is farther, not why. For two "
        "attribute sets it is the difference: check both numbers in the details, which may "
        "lean the same way.",
    ),
)
class RelativeNormDistance:
    """Are attribute words closer to the centre of the first or of the second target set?

        RND = mean over a ∈ A of ‖a − mean(T1)‖ − ‖a − mean(T2)‖

    Positive means closer to T2. With ``distance=cosine`` similarity replaces distance and the sign
    flips. ``attributes`` names the set; a test with two gives the difference of the first and the
    second, because opposite sets taken together would cancel. Vectors have unit length unless
    ``unit_length`` is false.
    """

    distance: Literal["euclidean", "cosine"] = "euclidean"
    attributes: str = ""
    unit_length: bool = True
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The mean difference of distances, and that of each attribute word."""
        if self.attributes and self.attributes not in subject.attributes:
            known = subject.attributes
            raise UnknownNameError(f"attribute set of {subject}", self.attributes, known)
        t1, t2 = two_of(subject, "targets", "RND")
        chosen = (self.attributes,) if self.attributes else tuple(subject.attributes)
        if len(chosen) > 2:
            raise UndefinedMeasureError(
                f"RND compares at most two attribute sets, but {subject} has {len(chosen)}. Name "
                f"one, as in rnd(attributes={chosen[0]})."
            )
        sets = sets_of(space, subject, setting)
        take = sets.directions if self.unit_length else sets.matrix
        first, second = take(t1), take(t2)
        words = [take(name) for name in chosen]
        signs = np.array([1.0, -1.0])[: len(chosen)]

        def mean_difference(samples: tuple[Indices, ...]) -> Array:
            centres = [first[samples[0]].mean(axis=1), second[samples[1]].mean(axis=1)]
            parts = [
                self._differences(rows[sample], *centres)
                for rows, sample in zip(words, samples[2:], strict=True)
            ]
            return np.asarray(signs @ np.stack([part.mean(axis=1) for part in parts]))

        centres = (first.mean(axis=0)[None], second.mean(axis=0)[None])
        each = [self._differences(rows[None], *centres)[0] for rows in words]
        purpose = f"rnd {subject.content_hash}"
        measurement = Measurement(
            title=subject.title,
            value=float(signs @ [part.mean() for part in each]),
            details={
                f"mean-difference-of-{name.replace(' ', '-')}": float(part.mean())
                for name, part in zip(chosen, each, strict=True)
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "set": name, "difference": float(difference)}
                for name, differences in zip(chosen, each, strict=True)
                for word, difference in zip(sets.words(name), differences, strict=True)
            ),
        )
        return over_words(
            measurement,
            mean_difference,
            sets,
            (t1, t2, *chosen),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )

    def _differences(self, rows: Array, first: Array, second: Array) -> Array:
        """For samples × words × components and two centres per sample, the difference per word."""
        if self.distance == "euclidean":
            near = [np.linalg.norm(rows - centre[:, None], axis=2) for centre in (first, second)]
        else:
            lengths = np.linalg.norm(rows, axis=2)
            near = [
                np.einsum("swd,sd->sw", rows, centre)
                / (lengths * np.linalg.norm(centre, axis=1)[:, None])
                for centre in (first, second)
            ]
        return np.asarray(near[0] - near[1])
