"""Embedding coherence: do two groups rank the attributes in the same order?"""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import AssociationTest
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import sets_of, two_of
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.numerics.correlation import rank_correlation
from unslant.vectors import Space


@metric(
    "ect",
    cites="dev-phillips-2019",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(1),
        range=Range(-1, 1),
        misleads="Group centres that are close together rank everything alike regardless of bias. "
        "Words that define the direction of a method should not be among the targets.",
    ),
)
class EmbeddingCoherence:
    """Do the centres of two target sets order the attribute words in the same way?

        u₁(a) = cos(mean(T1), a),  u₂(a) = cos(mean(T2), a)
        ECT = Spearman's ρ of u₁ and u₂ over all attribute words a, ties averaged

    1 means that both centres order the attributes alike.
    """

    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The rank correlation with its interval."""
        t1, t2 = two_of(subject, "targets", "ECT")
        sets = sets_of(space, subject, setting)
        names = tuple(subject.attributes)
        targets = {name: sets.matrix(name) for name in (t1, t2)}
        attributes = np.concatenate([sets.directions(name) for name in names])
        starts = np.cumsum([0, *(sets.size(name) for name in names[:-1])])

        def correlation(samples: tuple[Indices, ...]) -> Array:
            chosen = np.concatenate(
                [sample + start for sample, start in zip(samples[2:], starts, strict=True)], axis=1
            )
            cosines = [
                _cosines(targets[name][sample].mean(axis=1), attributes[chosen])
                for name, sample in zip((t1, t2), samples[:2], strict=True)
            ]
            return rank_correlation(*cosines)

        sizes = [sets.size(name) for name in (t1, t2, *names)]
        value = float(correlation(tuple(np.arange(size)[None] for size in sizes))[0])
        if not np.isfinite(value):
            why = "all attribute words have the same cosine with a group's centre"
            return Measurement.undefined(why, title=subject.title, words=sets.uses)
        purpose = f"ect {subject.content_hash}"
        centres = [targets[name].mean(axis=0)[None] for name in (t1, t2)]
        first, second = (_cosines(centre, attributes[None])[0] for centre in centres)
        words = [word for name in names for word in sets.words(name)]
        measurement = Measurement(
            title=subject.title,
            value=value,
            details={"first-side": t1, "second-side": t2},
            words=sets.uses,
            points=tuple(
                {"word": word, "first-cosine": float(x), "second-cosine": float(y)}
                for word, x, y in zip(words, first, second, strict=True)
            ),
        )
        return over_words(
            measurement,
            correlation,
            sets,
            (t1, t2, *names),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )


def _cosines(centres: Array, directions: NDArray[np.float64]) -> Array:
    """Cosine of each sample's centre with each of its attribute directions."""
    lengths = np.linalg.norm(centres, axis=1, keepdims=True)
    products = np.einsum("sd,swd->sw", centres, directions)
    return np.asarray(products / np.where(lengths > 0, lengths, np.nan))
