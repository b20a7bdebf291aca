"""The bias analogy test."""

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import sets_of, two_of
from unslant.vectors import Space


@metric(
    "bat",
    cites="lauscher-2020",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0.5),
        range=Range(0, 1),
        misleads="Analogies favour words that are close to the question's own words, so even "
        "neutral words can score away from one half. Words in both attribute sets are dropped.",
    ),
)
class BiasAnalogyTest:
    """How often do analogies between the targets complete in the stereotypical way?

        q₁ = t1 − t2 + a2:  share of words a ∈ A2 ∖ {a2} that are farther from q₁ than a1
        q₂ = a1 − t1 + t2:  share of words a ∈ A1 ∖ {a1} that are farther from q₂ than a2
        BAT = mean of both shares over all (t1, t2) ∈ T1 × T2 and (a1, a2) ∈ A1 × A2

    Distances are Euclidean, and 0.5 is chance. ``last_pair_only`` returns what the authors' program
    returns: the score of only the last target pair.
    """

    last_pair_only: bool = False
    unit_length: bool = True

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The share of stereotypical completions."""
        t1, t2 = two_of(subject, "targets", "BAT")
        a1, a2 = two_of(subject, "attributes", "BAT")
        sets = sets_of(space, subject, setting)
        take = sets.directions if self.unit_length else sets.matrix
        shared = set(sets.items[a1]) & set(sets.items[a2])
        first, second = (
            take(name)[[item not in shared for item in sets.items[name]]] for name in (a1, a2)
        )
        size = min(len(first), len(second))
        if size < 2:
            raise UndefinedMeasureError(
                f"BAT needs two words in each attribute set that are not in both; {subject} has "
                f"{size}."
            )
        first, second = first[:size], second[:size]
        shifts = (take(t1)[:, None] - take(t2)[None]).reshape(-1, space.dim)
        if self.last_pair_only:
            shifts = shifts[-1:]
        counts = [_biased(shift, first, second) for shift in shifts]
        biased, total = np.sum(counts, axis=0)
        return Measurement(
            title=subject.title,
            value=float(biased / total),
            details={
                "comparisons": int(total),
                "target-pairs": len(shifts),
                "attribute-words-a-side": size,
            },
            words=sets.uses,
        )


def _biased(shift: Array, first: Array, second: Array) -> tuple[int, int]:
    """For one target difference, the biased comparisons and all comparisons."""
    biased = 0
    size = len(first)
    for question, answers, others in (
        (second + shift, first, second),  # t1 − t2 + a2 should be near a1
        (first - shift, second, first),  # a1 − t1 + t2 should be near a2
    ):
        to_answers = np.linalg.norm(question[:, None] - answers[None], axis=2)
        to_others = np.linalg.norm(question[:, None] - others[None], axis=2)
        is_other = ~np.eye(size, dtype=bool)
        farther = to_others[:, None, :] > to_answers[:, :, None]
        biased += int((farther & is_other[:, None, :]).sum())
    return biased, 2 * size * size * (size - 1)
