"""Resampling tells a direction that the words share from one that is noise."""

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.measures.running import measure
from unslant.methods.pipeline import debias
from unslant.subspaces.estimator import estimate
from unslant.subspaces.stability import steadiness
from unslant.vectors import WordVectors

DROP = WordPolicy(missing="drop")
GENDER = concept("gender")
PAIRS = 12
ROWS = [[f"l{n}", f"r{n}"] for n in range(PAIRS)]
TOY = parse_concept(
    f"""
name = "toy"
groups = ["left", "right"]
direction = "pair-difference(l0, r0)"
[words]
left = {[f"l{n}" for n in range(PAIRS)]}
right = {[f"r{n}" for n in range(PAIRS)]}
[sets]
definitional = {{ columns = ["left", "right"], rows = {ROWS} }}
""",
    "toy.toml",
)


def pairs_apart_by(signal: float, noise: float, seed: int = 0, dim: int = 50) -> WordVectors:
    """Pairs whose differences share a direction, and have noise of their own."""
    rng = np.random.default_rng(seed)
    shared = np.eye(dim)[0] * signal
    vectors = {}
    for n in range(PAIRS):
        middle = rng.normal(size=dim)
        own = noise * rng.normal(size=dim) / np.sqrt(dim)
        vectors[f"l{n}"] = middle + (shared + own) / 2
        vectors[f"r{n}"] = middle - (shared + own) / 2
    return WordVectors.of(vectors)


@pytest.mark.parametrize("expression", [None, "pair-pca(definitional)", "two-means(words)"])
@pytest.mark.parametrize("seed", range(3))
def test_a_shared_difference_is_steady_and_noise_is_not(seed: int, expression: str | None) -> None:
    clear = pairs_apart_by(signal=20.0, noise=1.0, seed=seed)
    found = steadiness(estimate(expression, clear, TOY), expression, clear, TOY, DROP)
    assert found is not None
    assert found.is_steady
    lost = pairs_apart_by(signal=0.0, noise=1.0, seed=seed)
    found = steadiness(estimate(expression, lost, TOY), expression, lost, TOY, DROP)
    assert found is not None
    assert not found.is_steady


def test_the_share_confirmed_of_one_pair_is_that_of_the_signal() -> None:
    """One half for a pair with as much noise as signal, but for what few pairs leave open."""
    found = [
        steadiness(estimate(None, space, TOY), None, space, TOY, DROP)
        for space in (pairs_apart_by(1.0, 1.0, seed, dim=400) for seed in range(20))
    ]
    shares = [item.confirmed for item in found if item]
    assert len(shares) == 20
    # With s = σ: the pair is one of the twelve, and a bootstrap mean has nearly twice the variance.
    expected = (1 + 1 / 12) ** 2 / (2 * (1 + (2 - 1 / 12) / 12))
    assert np.mean(shares) == pytest.approx(expected, abs=0.03)


def test_resampling_by_hand_gives_the_same() -> None:
    space = pairs_apart_by(1.0, 0.5)
    found = steadiness(estimate(None, space, TOY), None, space, TOY, DROP)
    unit = {word: space[word] / np.linalg.norm(space[word]) for word in space.words}
    differences = np.array([unit[f"l{n}"] - unit[f"r{n}"] for n in range(PAIRS)], dtype=float)
    rng = np.random.default_rng(7)
    whole = differences.mean(axis=0) / np.linalg.norm(differences.mean(axis=0))
    cosines = []
    for _ in range(2000):
        mean = differences[rng.integers(0, PAIRS, PAIRS)].mean(axis=0)
        cosines.append(mean @ whole / np.linalg.norm(mean))
    assert found is not None
    assert found.with_itself == pytest.approx(np.mean(cosines), abs=0.01)


def test_too_few_words_are_not_judged(glove: WordVectors) -> None:
    few = parse_concept(
        """
name = "few"
groups = ["left", "right"]
direction = "two-means(words)"
[words]
left = ["she", "woman"]
right = ["he", "man"]
""",
        "few.toml",
    )
    assert steadiness(estimate(None, glove, few), None, glove, few, DROP) is None


def test_she_minus_he_is_steady_in_glove_and_noise_after_inlp_and_leace(glove: WordVectors) -> None:
    found = steadiness(estimate(None, glove, GENDER), None, glove, GENDER, DROP)
    assert found is not None
    assert found.is_steady
    assert found.with_itself > 0.9
    for method in ("inlp", "leace", "double-hard"):
        after = debias(method, glove, GENDER)
        anew = measure("direct-bias(of=refitted)", after, GENDER, baseline=glove)
        assert anew.value is None
        assert "mostly noise" in anew.why_undefined
        alone = measure("direct-bias", after, GENDER)
        assert alone.value is None
        assert "as the baseline" in alone.why_undefined
