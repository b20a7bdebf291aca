"""How well a direction is determined: singular values, and agreement with other estimates."""

from dataclasses import dataclass

from unslant.concepts import Concept, WordPolicy
from unslant.numerics.linalg import safe_norm
from unslant.subspaces.estimator import estimate
from unslant.vectors import WordVectors


@dataclass(frozen=True)
class Stability:
    """Another estimate of the subspace, beside the direction in use.

    ``ratios`` are the 2nd to 4th singular values over the 1st: small ones mean that one direction
    dominates. ``cosine`` is how far the first axis agrees with the direction in use, from 0 to 1.
    """

    estimator: str
    ratios: tuple[float, ...]
    cosine: float


def stability(
    vectors: WordVectors,
    concept: Concept,
    used: str | None = None,
    others: tuple[str, ...] = (),
    policy: WordPolicy | None = None,
) -> list[Stability]:
    """Compare the direction in use with other estimates (Dev et al. 2020, Table 7).

    The others are the concept's ``alternatives``, fuller lists as a rule, unless they are given.
    """
    policy = policy or WordPolicy(missing="drop")
    basis = estimate(used, vectors, concept, policy).basis
    rows = []
    for expression in others or concept.alternatives:
        other = estimate(expression, vectors, concept, policy)
        shares = other.explained[:4]
        ratios = tuple((share / shares[0]) ** 0.5 for share in shares[1:])
        # The length of the axis's shadow in the span in use: |cos| where that is one direction.
        cosine = safe_norm(basis @ other.basis[0])
        rows.append(Stability(other.estimator, ratios, min(1.0, cosine)))
    return rows
