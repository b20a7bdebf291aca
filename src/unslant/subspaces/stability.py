"""How well a direction is determined: singular values, and agreement with other estimates."""

from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage
from unslant.core.seeds import generator
from unslant.numerics.linalg import safe_norm
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space, Vocabulary, WordVectors

DRAWS = 20
_MOST_FREQUENT = 50_000


def shares_by_chance(
    expression: str,
    subspace: Subspace,
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, ...]:
    """The mean shares of variance if every word gets the vector of a random frequent word.

    The same estimator runs on as many words in the same pairs or sets, as a baseline for its
    result on the concept (Bolukbasi et al. 2016, Figure 6). Empty if the vectors have too few
    words, or if none of the draws gives a direction.
    """
    words = list(dict.fromkeys(word for use in subspace.words for word in use.used))
    pool = np.flatnonzero(np.any(vectors.head(_MOST_FREQUENT).matrix != 0, axis=1))
    if len(pool) < len(words):
        return ()
    random = generator(seed, "subspace by chance", expression, concept.content_hash)
    # Only the words in use have a vector: every draw uses the same ones, in the same order.
    go_on = WordPolicy(missing="drop", case="exact")
    found = []
    for _ in range(draws):
        matrix = vectors.rows_at(random.choice(pool, len(words), replace=False))
        stand_in = WordVectors(Vocabulary.of(words), matrix, Lineage("chance"))
        try:
            found.append(estimate(expression, stand_in, concept, go_on).explained[:10])
        except UnslantError:
            continue
    most = min(map(len, found), default=0)
    return tuple(np.mean([shares[:most] for shares in found], axis=0).tolist()) if most else ()


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
