"""SAME: how far words lean along the differences of group means."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept, resolve
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import SMALLER, Range, Score
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.vectors import Space

_SMALLEST = 1e-6


@metric(
    "same",
    cites="schroder-2021",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=SMALLER,
        range=Range(low=0, high=1, text="0 to 1 for two groups"),
        misleads="With more than two groups the first difference counts fully and the others only "
        "by their new part, so the order of groups matters slightly.",
    ),
)
class Same:
    """How strongly do neutral words lean towards any group, by differences of group means?

        b = mean(Â₁) − mean(Â₀) of unit vectors,  SAME(w) = |cos(w, b)|
        more than two groups: SAME(w) = |cos(w, b₁)| + Σ_{i>1} ‖bᵢ‖ |cos(w, bᵢ)|, bᵢ orthogonal
        value = mean of SAME(w) over neutral words w

    For more than two groups, the differences to the first are made orthogonal one after the other,
    and each counts by its remaining length, the first with 1. ``neutral`` names the words; skew
    (signed mean) and stereotype (sd) are in the details for two groups.
    """

    neutral: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The mean lean, and that of each word."""
        groups = [group for group in subject.groups if group in subject.members]
        if len(groups) < 2 or not subject.neutral:
            raise UndefinedMeasureError(
                f"SAME needs words or names for two groups, and neutral words, but "
                f'"{subject.name}" does not have them.'
            )
        name = self.neutral or next(iter(subject.neutral))
        lists = {group: subject.members[group].all_words for group in groups}
        sets = resolve(space, {**lists, name: subject.list(name).all_words}, setting.policy)
        rows = [sets.directions(group) for group in groups]
        targets = sets.directions(name)

        def mean_lean(samples: tuple[Indices, ...]) -> Array:
            means = [row[sample].mean(axis=1) for row, sample in zip(rows, samples, strict=False)]
            measurement = [
                np.abs(targets[chosen] @ axes.T) @ weights
                for chosen, (axes, weights) in zip(
                    samples[-1], map(_axes, np.stack(means, axis=1)), strict=True
                )
            ]
            return np.array([sizes.mean() for sizes in measurement])

        axes, weights = _axes(np.stack([row.mean(axis=0) for row in rows]))
        if not len(axes):
            why = "the groups have the same mean direction"
            return Measurement.undefined(why, title=subject.title, words=sets.uses)
        cosines = targets @ axes.T
        sizes = np.abs(cosines) @ weights
        purpose = f"same {name} {subject.content_hash}"
        two_sided = len(groups) == 2
        measurement = Measurement(
            title=f"Lean of {name} between groups of {subject.name}",
            value=float(sizes.mean()),
            details={
                "skew": float(cosines[:, 0].mean()) if two_sided else None,
                "stereotype": float(cosines[:, 0].std()) if two_sided else None,
                "groups": len(groups),
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "lean": float(size), "signed": float(signed)}
                for word, size, signed in zip(sets.words(name), sizes, cosines[:, 0], strict=True)
            ),
        )
        return over_words(
            measurement,
            mean_lean,
            sets,
            (*groups, name),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )


def _axes(means: Array) -> tuple[Array, Array]:
    """Orthonormal differences of the group means to the first, and the weight of each."""
    axes: list[Array] = []
    weights: list[float] = []
    for mean in means[1:]:
        left = means[0] - mean
        for axis in axes:
            left = left - (left @ axis) * axis
        length = float(np.linalg.norm(left))
        if length > _SMALLEST:
            axes.append(left / length)
            weights.append(length if weights else 1.0)
    return np.array(axes).reshape(len(axes), means.shape[1]), np.array(weights)
