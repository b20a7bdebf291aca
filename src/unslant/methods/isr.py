"""ISR: a graded rotation, repeated until its two directions are orthogonal."""

from typing import Annotated

import numpy as np

from unslant.concepts import AssociationTest, Concept, WordPolicy, WordSets, resolve
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.parameters import at_least
from unslant.core.types import Array
from unslant.erasers import EachVector, GradedRotation
from unslant.measures.registry import SPACE
from unslant.methods.method import ANY_VECTORS, FitSetting, Fitted, debiaser
from unslant.numerics.linalg import safe_angle, safe_norm, unit
from unslant.vectors import Space

# How much two sets of vectors differ in their association with two other sets.

SMALLEST_SPREAD = 1e-9
"""The precision of cosines of float32 vectors."""


def effect_size(x: Array, y: Array, a: Array, b: Array, *, ddof: int = 1) -> float | None:
    """(mean s(x) − mean s(y)) / sd of s over both, where s(w) = mean cos(w, a) − mean cos(w, b).

    None if a vector is zero or all associations are equal.

    >>> one, two = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> effect_size(one, two, one, two, ddof=0)
    2.0
    """
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (x, y, a, b)]
    if not all(length.all() for length in lengths):
        return None
    x, y, a, b = (rows / length for rows, length in zip((x, y, a, b), lengths, strict=True))
    scores = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
    spread = float(scores.std(ddof=ddof)) if len(scores) > ddof else 0.0
    if spread <= SMALLEST_SPREAD:
        return None
    return float(scores[: len(x)].mean() - scores[len(x) :].mean()) / spread


_SMALLEST_ANGLE = 1e-4
_ORTHOGONAL = 1e-12


@debiaser(
    "isr",
    cites="aboagye-2023",
    guarantees={"needs-no-words"},
    acts_on=ANY_VECTORS,
    needs=SPACE,
    misleads="It makes two contrasts of these words orthogonal and removes nothing: the "
    "attribute stays in every vector, and other words or other attributes may be "
    "associated as before. Evaluate it with another test than the one it was fitted "
    "on.",
)
class IterativeSubspaceRectification:
    """Rotate every word repeatedly until two contrasts of word sets are orthogonal.

        v1 = direction of mean(X) − mean(Y),  v2 = direction of mean(A) − mean(B)
        repeat: w ← m + R(w − m), R the graded rotation of oscar from v1, v2 to v1 ⟂ v2

    The targets X, Y and the attributes A, B are those of ``test``, an association test of the
    concept (its first one with two of each by default). In each of the ``iterations`` v2 is flipped
    to be on v1's side, and all words undergo the rotation of ``oscar`` about m, the midpoint of the
    means of A and B, each scaled to length 1. OSCaR alone makes two given directions orthogonal,
    but not the contrasts, because words off the line of v2 rotate by other angles; here |v1·v2| of
    the contrasts themselves goes to 0, and both contrasts remain.

    Because the means are scaled and the words are not, as in the published program, the midpoint
    has more weight in a space of short vectors, and lengths change. The effect size falls as far
    as it depends on the means; its cosines also depend on lengths.
    """

    test: str = ""
    iterations: Annotated[int, at_least(1)] = 10

    def fit(self, vectors: Space, concept: Concept, setting: FitSetting) -> Fitted:
        """Find the rotations from the words of the test only."""
        test = _chosen(concept, self.test)
        sets, words = _sets(vectors, test, setting.policy)
        cosines: list[float] = []
        effect = effect_size(*sets)
        steps: list[EachVector] = []
        for _ in range(self.iterations):
            v1, v2 = _contrasts(sets, test)
            cosines.append(float(v1 @ v2))
            if cosines[-1] < _ORTHOGONAL and steps:
                cosines.pop()
                break
            middle = (unit(sets[2].mean(axis=0)) + unit(sets[3].mean(axis=0))) / 2
            turn = GradedRotation(v1, v2, middle)
            sets = [np.asarray(turn.apply(rows), dtype=np.float64) for rows in sets]
            steps.append(EachVector(turn))
        cosines.append(float(np.multiply(*_contrasts(sets, test)).sum()))
        return Fitted(
            steps=tuple(steps),
            words=words.uses,
            details={
                "test": str(test),
                "|v1·v2|-before": abs(cosines[0]),
                "|v1·v2|-after": abs(cosines[-1]),
                "|v1·v2|-by-iteration": ", ".join(f"{abs(value):.2e}" for value in cosines),
                "iterations": len(steps),
                "effect-size-before": effect,
                "effect-size-after": effect_size(*sets),
            },
        )


def _chosen(concept: Concept, name: str) -> AssociationTest:
    """The test of that name, or the first that contrasts two sets with two sets."""
    tests = [concept.test(name)] if name else list(concept.tests.values())
    for test in tests:
        if len(test.targets) == len(test.attributes) == 2:
            return test
    raise ExpressionError(
        f"isr needs an association test with two targets and two attributes, but "
        f"{f'{tests[0]} is not one' if name else f'{concept.name} has none'}. Use another test "
        f"or concept."
    )


def _sets(
    vectors: Space, test: AssociationTest, policy: WordPolicy
) -> tuple[list[Array], WordSets]:
    """The vectors of X, Y, A and B."""
    lists = {**test.targets, **test.attributes}
    if len(lists) < 4:
        raise ExpressionError(f"isr needs four different sets, but {test} names one twice.")
    balance = (tuple(test.targets), tuple(test.attributes))
    asked = {name: item.all_words for name, item in lists.items()}
    words = resolve(vectors, asked, policy, balance=balance)
    return [words.matrix(name) for name in lists], words


def _contrasts(sets: list[Array], test: AssociationTest) -> tuple[Array, Array]:
    """v1 and v2, oriented to the same side."""
    x, y, a, b = (rows.mean(axis=0) for rows in sets)
    if not all(map(safe_norm, (x - y, a - b, a, b))):
        raise DegenerateSubspaceError(
            f"isr finds no direction with {test}: two of its means are equal, or one is zero."
        )
    v1, v2 = unit(x - y), unit(a - b)
    v2 = v2 * (-1.0 if v1 @ v2 < 0 else 1.0)
    if safe_angle(v1, v2) < _SMALLEST_ANGLE:
        raise DegenerateSubspaceError(
            f"isr cannot separate the contrasts of {test}: they are the same direction."
        )
    return v1, v2
