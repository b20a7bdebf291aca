"""How well a direction is determined: singular values, and agreement with other estimates."""

from dataclasses import dataclass

from unslant.concepts import Concept, WordPolicy
from unslant.numerics.linalg import safe_norm
from unslant.subspaces.chance import shares_by_chance
from unslant.subspaces.estimator import estimate
from unslant.vectors import Space, WordVectors


@dataclass(frozen=True)
class Stability:
    """Another estimate of the subspace, compared with the direction in use.

    ``ratios`` are the 2nd to 4th singular values over the 1st: small ones mean that one direction
    dominates. ``cosine`` is the agreement of the first axis with the direction in use, from 0 to 1.
    ``explained`` are the shares of variance of up to ten axes, ``chance`` the mean shares for
    random words instead of the concept's; both are empty if there is only one axis,
    and ``chance`` also if the space has no vocabulary.
    """

    estimator: str
    ratios: tuple[float, ...]
    cosine: float
    explained: tuple[float, ...] = ()
    chance: tuple[float, ...] = ()


def stability(
    space: Space,
    concept: Concept,
    used: str | None = None,
    others: tuple[str, ...] = (),
    policy: WordPolicy | None = None,
) -> list[Stability]:
    """Compare the direction in use with other estimates (Dev et al. 2020, Table 7).

    The others are the concept's ``alternatives``, usually longer lists, unless given explicitly.
    """
    policy = policy or WordPolicy(missing="drop")
    basis = estimate(used, space, concept, policy).basis
    rows = []
    for expression in others or concept.alternatives:
        other = estimate(expression, space, concept, policy)
        shares = other.explained[:4]
        ratios = tuple((share / shares[0]) ** 0.5 for share in shares[1:])
        # The length of the axis's projection onto the span in use: |cos| for a single direction.
        cosine = safe_norm(basis @ other.basis[0])
        several = other.explained[:10] if len(other.explained) > 1 else ()
        chance: tuple[float, ...] = ()
        if several and isinstance(space, WordVectors):  # only a vocabulary has random words
            chance = shares_by_chance(expression, other, space, concept, policy)
        rows.append(Stability(other.estimator, ratios, min(1.0, cosine), several, chance))
    return rows
