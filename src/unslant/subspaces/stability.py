"""How well a direction is determined: singular values, and agreement with other estimates."""

from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.linalg import safe_norm
from unslant.subspaces.estimator import estimate
from unslant.subspaces.subspace import Subspace, table_rows
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
    words, or if no draw has a direction.
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


# Whether the words determine a direction, or a different sample would change it.

RESAMPLES = 100
_FEWEST = 5
"""With fewer pairs or words per group, a bootstrap says little."""
_PAIRS = "definitional"


@dataclass(frozen=True, kw_only=True)
class Steadiness:
    """How stable a direction is when its words are resampled.

    ``with_itself`` is the mean cosine between the estimate from all words and those from resampled
    words; ``confirmed`` is the mean share (squared cosine) of the direction in use that these
    estimates confirm. Below one half, noise dominates the direction: more of it is specific to
    individual words than common to them.
    """

    resampled: str
    with_itself: float
    confirmed: float
    is_of_one_pair: bool = False

    @property
    def is_noise(self) -> bool:
        """Whether most of the direction is not confirmed."""
        return self.confirmed < 0.5

    @property
    def is_steady(self) -> bool:
        """Whether the words determine the direction well enough to base a headline on it."""
        return not self.is_noise and self.with_itself >= 0.9

    @property
    def details(self) -> dict[str, float | int | str | None]:
        """The values as stored in a record."""
        return {
            "resampled": self.resampled,
            "cosine-of-resampled-directions": self.with_itself,
            "share-of-the-direction-confirmed-by-resampling": self.confirmed,
        }


def steadiness(
    subspace: Subspace,
    expression: str | None,
    space: Space,
    concept: Concept,
    policy: WordPolicy,
    *,
    draws: int = RESAMPLES,
    seed: int = 0,
) -> Steadiness | None:
    """Resample the words that a subspace was estimated from; None if there are too few.

    One pair cannot be resampled, so the concept's definitional pairs are used instead: a difference
    of two words represents an attribute only if other pairs differ along it too.
    """
    rng = generator(seed, "steadiness", expression or "", concept.content_hash)
    if _is_one_pair(subspace):
        return _of_pairs(subspace, space, concept, policy, draws, rng)
    return _of_words(subspace, expression, space, concept, policy, draws, rng)


def _is_one_pair(subspace: Subspace) -> bool:
    return len(subspace.words) == 2 and all(len(use.used) == 1 for use in subspace.words)


def _of_pairs(
    subspace: Subspace,
    space: Space,
    concept: Concept,
    policy: WordPolicy,
    draws: int,
    rng: np.random.Generator,
) -> Steadiness | None:
    """By the mean difference of resampled definitional pairs."""
    if _PAIRS not in concept.sets or len(concept.table(_PAIRS).columns) != 2:
        return None
    drop = WordPolicy(missing="drop", case=policy.case)
    try:
        cube, _ = table_rows(space, concept.table(_PAIRS), drop, unit_length=True)
    except UnslantError:
        return None
    differences = cube[:, 0] - cube[:, 1]
    count = len(differences)
    if count < _FEWEST:
        return None
    means = differences[rng.integers(0, count, (draws, count))].mean(axis=1)
    found = _units(means)
    return Steadiness(
        resampled=f"{count} pairs of {concept.table(_PAIRS).name}",
        with_itself=float((found @ _units(differences.mean(axis=0)[None])[0]).mean()),
        confirmed=float(((found @ subspace.basis[0]) ** 2).mean()),
        is_of_one_pair=True,
    )


def _of_words(
    subspace: Subspace,
    expression: str | None,
    space: Space,
    concept: Concept,
    policy: WordPolicy,
    draws: int,
    rng: np.random.Generator,
) -> Steadiness | None:
    """By the same estimator, each word or row with the vectors of one drawn from its own set."""
    widths = {item.name: len(item.columns) for item in concept.sets.values()}
    blocks = [
        np.arange(len(use.used)).reshape(-1, widths.get(use.set, 1)) for use in subspace.words
    ]
    if not blocks or min(map(len, blocks)) < _FEWEST:
        return None
    words = [word for use in subspace.words for word in use.used]
    if len(set(words)) < len(words):  # one word in two sets cannot have two vectors
        return None
    matrix = space.rows(space.lookup(words, policy.case).forms)
    starts = np.cumsum([0, *(block.size for block in blocks)])
    vocabulary, exact = Vocabulary.of(words), WordPolicy(missing="drop", case="exact")
    cosines = np.zeros((draws, subspace.k))
    for number in range(draws):
        drawn = [
            start + block[rng.integers(0, len(block), len(block))].ravel()
            for start, block in zip(starts, blocks, strict=False)
        ]
        stand_in = WordVectors(vocabulary, matrix[np.concatenate(drawn)], Lineage("resampled"))
        try:
            other = estimate(expression, stand_in, concept, exact).basis
        except UnslantError:
            continue  # an undefined direction agrees with none
        cosines[number] = np.linalg.svd(subspace.basis @ other.T, compute_uv=False)
    return Steadiness(
        resampled=", ".join(
            f"{len(block)} {'words' if block.shape[1] == 1 else 'rows'} of {use.set}"
            for block, use in zip(blocks, subspace.words, strict=True)
        ),
        with_itself=float(cosines.mean()),
        confirmed=float((cosines**2).mean()),
    )


def _units(rows: Array) -> Array:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))
