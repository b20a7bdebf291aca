"""RNSB: its extremes, a second way to train the classifier, and the built-in vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import entropy

from tests.spaces import small_concept, space
from unslant.concepts import Concept, WordPolicy, concept
from unslant.concepts.wordlists import wordlist
from unslant.core.errors import MissingWordsError, UndefinedMeasureError, UnslantError
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.running import measure
from unslant.metrics.rnsb import NEGATIVE, POSITIVE, divergence_from_equal
from unslant.vectors import WordVectors

GOOD, BAD = (wordlist(name).words[:80] for name in (POSITIVE, NEGATIVE))
IDENTITIES = ("l0", "l1", "l2", "r0", "r1", "r2")


def sentiment_space(seed: int, identities: Array, dim: int = 4) -> WordVectors:
    """Pleasant words around one place, unpleasant ones around another, and identity words."""
    rng = np.random.default_rng(seed)
    place = np.eye(dim)[0]
    good = rng.normal(size=(len(GOOD), dim)) - place
    bad = rng.normal(size=(len(BAD), dim)) + place
    return space([*GOOD, *BAD, *IDENTITIES], np.concatenate([good, bad, identities]))


@settings(max_examples=60)
@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=20))
def test_the_divergence_is_the_entropy_that_equal_shares_lose(negative: list[float]) -> None:
    shares = np.array(negative) / sum(negative)
    found = float(divergence_from_equal(np.array([negative]))[0])
    assert found == pytest.approx(np.log(len(shares)) - entropy(shares), abs=1e-9)
    assert -1e-12 <= found <= np.log(len(shares))


def test_equal_shares_diverge_by_nothing_and_a_single_one_by_the_most() -> None:
    rows = np.array([[0.3, 0.3, 0.3, 0.3], [0.0, 0.0, 0.9, 0.0]])
    assert divergence_from_equal(rows) == pytest.approx([0.0, np.log(4)], abs=1e-12)


def slow_probabilities(vectors: WordVectors, seed: int) -> Array:
    """Another optimiser on the loss of the regression: ½‖w‖² + Σ log(1 + exp(−y x·w))."""
    rng, parts = generator(seed, "rnsb", "0"), []
    for words in (GOOD, BAD):
        rows = np.array([vectors[word] for word in words], dtype=float)
        parts.append(rows[rng.permutation(len(rows))[round(0.2 * len(rows)) :]])
    x = np.concatenate(parts)
    x = np.column_stack([x, np.ones(len(x))])
    y = np.repeat([-1.0, 1.0], [len(part) for part in parts])

    def loss(w: Array) -> float:
        return float(w @ w / 2 + np.logaddexp(0, -y * (x @ w)).sum())

    w = minimize(loss, np.zeros(x.shape[1]), tol=1e-10).x
    asked = np.array([[*vectors[word], 1.0] for word in IDENTITIES])
    return np.asarray(1 / (1 + np.exp(-asked @ w)))


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_another_way_to_train_and_to_sum(seed: int) -> None:
    identities = np.random.default_rng(seed).normal(size=(6, 4)) * 1.5
    vectors = sentiment_space(seed, identities)
    result = measure(f"rnsb(repeats=1, seed={seed})", vectors, small_concept())
    wanted = slow_probabilities(vectors, seed)
    assert [point["negative"] for point in result.points] == pytest.approx(wanted, abs=2e-3)
    shares = wanted / wanted.sum()
    assert result.value == pytest.approx(sum(shares * np.log(6 * shares)), abs=2e-3)
    assert result.details["sd-over-repeats"] is None


def test_identity_words_in_one_place_have_no_bias_and_in_two_places_some() -> None:
    same = np.tile([1.0, 2.0, 0.0, 0.0], (6, 1))
    assert measure("rnsb", sentiment_space(0, same), small_concept()).value == pytest.approx(0)
    apart = np.zeros((6, 4))
    apart[:, 0] = [-3, -3, -3, 3, 3, 3]
    result = measure("rnsb", sentiment_space(0, apart), small_concept())
    assert result.value is not None
    # Half of the words carry nearly all: ln 2 of at most ln 6.
    assert result.value == pytest.approx(np.log(2), abs=0.1)
    assert result.details["normalised-by-ln-K"] == pytest.approx(result.value / np.log(6))


def test_turning_the_space_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    vectors = sentiment_space(5, rng.normal(size=(6, 4)))
    turn, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    moved = space(list(vectors.words), vectors.matrix.astype(float) @ turn)
    one, other = (measure("rnsb(repeats=3)", v, small_concept()).value for v in (vectors, moved))
    assert one == pytest.approx(other, rel=0.02)


def test_the_seed_decides_and_nothing_else_does() -> None:
    vectors = sentiment_space(2, np.random.default_rng(2).normal(size=(6, 4)))
    first, again = (measure("rnsb(repeats=3)", vectors, small_concept()) for _ in range(2))
    assert first == again
    assert measure("rnsb(repeats=3, seed=1)", vectors, small_concept()).value != first.value


def test_the_lexicon_is_counted_and_identity_words_are_listed(glove: WordVectors) -> None:
    result = measure("rnsb(repeats=3)", glove, concept("gender"), WordPolicy(missing="drop"))
    counts = {key: int(value) for key, value in result.details.items() if "-words" in key}  # type: ignore[arg-type]
    assert counts["positive-words-used"] + counts["positive-words-missing"] == 2006
    assert counts["negative-words-used"] + counts["negative-words-missing"] == 4783
    assert [use.set for use in result.words] == ["identity words"]
    assert result.details["K"] == len(result.points) == len(result.words[0].used)
    assert float(result.details["held-out-accuracy"]) > 0.85  # type: ignore[arg-type]
    assert 0 < float(result.value or 0) < np.log(len(result.points))


def test_a_list_may_be_named_instead_of_the_groups(glove: WordVectors) -> None:
    drop = WordPolicy(missing="drop")
    own = measure("rnsb(identities=professions, repeats=2)", glove, concept("gender"), drop)
    assert int(own.details["K"] or 0) > 100
    bundled = 'rnsb(identities="dev-2020/occupations", repeats=2)'
    assert int(measure(bundled, glove, concept("gender"), drop).details["K"] or 0) > 100


def test_identity_words_of_the_lexicon_are_named() -> None:
    vectors = sentiment_space(0, np.ones((6, 4)))
    text = small_concept(f'[lists.more]\nwords = ["{BAD[0]}", "l0", "r0"]\n')
    result = measure("rnsb(identities=more, repeats=1)", vectors, text)
    assert BAD[0] in result.warnings[0]


def test_missing_words_follow_the_policy_and_too_few_are_refused() -> None:
    vectors = sentiment_space(0, np.random.default_rng(0).normal(size=(6, 4)))
    less = vectors.only([word for word in vectors.words if word != "r2"])
    with pytest.raises(MissingWordsError, match="r2"):
        measure("rnsb", less, small_concept())
    result = measure("rnsb(repeats=1)", less, small_concept(), WordPolicy(missing="drop"))
    assert result.words[0].missing == ("r2",)
    one = vectors.only([*GOOD, *BAD, "l0"])
    with pytest.raises(UndefinedMeasureError, match="has only"):
        measure("rnsb", one, small_concept(), WordPolicy(missing="drop"))


def test_a_lexicon_that_is_not_there_is_told() -> None:
    rows = np.random.default_rng(0).normal(size=(8, 4))
    vectors = space([GOOD[0], BAD[0], *IDENTITIES], rows)
    with pytest.raises(UndefinedMeasureError, match="fewer than two words of one side"):
        measure("rnsb", vectors, small_concept())
    with pytest.raises(UnslantError, match="at least 1"):
        measure("rnsb(repeats=0)", vectors, small_concept())


def test_a_concept_without_group_words_says_what_to_do(glove: WordVectors) -> None:
    bare = Concept(name="bare", title="", version="1", about="", content_hash="0")
    with pytest.raises(UndefinedMeasureError, match=r"rnsb\(identities=…\)"):
        measure("rnsb", glove, bare)
