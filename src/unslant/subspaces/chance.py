"""What an estimator finds in words unrelated to the concept."""

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage
from unslant.core.seeds import generator
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Vocabulary, WordVectors

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
