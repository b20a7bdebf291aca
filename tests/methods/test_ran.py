"""RAN-Debias: its neighbours are those of the definition, and its objective goes down."""

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import concept
from unslant.core.errors import ExpressionError
from unslant.erasers import TheseWords
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import specific_words
from unslant.methods.streaming import debiased
from unslant.numerics.descent import Repulsion
from unslant.vectors import load

QUICK = "ran(vocabulary=3000)"


def test_neighbours_and_vectors_are_those_of_a_plain_search() -> None:
    vectors, toy = wide_space(seed=2, count=60, dim=6, lean=0.8), small_concept()
    eraser = fit("ran(neighbours=8, steps=40)", vectors, toy)
    after = debiased(vectors, eraser)
    e = vectors.matrix.astype(np.float64)
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    words = list(vectors.words)
    g = vectors["l0"].astype(float) - vectors["r0"].astype(float)
    g /= np.linalg.norm(g)
    some_biased = 0
    for number in range(10, len(words)):
        cosines = e @ e[number]
        cosines[number] = -2
        nearest = np.argsort(-cosines)[:8]
        biased = []
        for other in nearest:
            a, b = (row - (row @ g) * g for row in (e[number], e[other]))
            cosine = e[number] @ e[other]
            rest = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            if (cosine - rest) / cosine >= 0.05:
                biased.append(other)
        some_biased += bool(biased)
        alone = Repulsion(
            starts=e[[number]].astype(np.float32),
            others=e[biased][None].astype(np.float32),
            counts=np.array([len(biased)]),
            basis=g[None].astype(np.float32),
            repel=0.125,
            attract=0.75,
            neutralise=0.125,
        )
        expected = alone.minimised(40, 0.01, decay=True)[0]
        np.testing.assert_allclose(after[words[number]], expected, atol=5e-3, err_msg=str(number))
    assert some_biased > 10
    assert eraser.stages[0].details["words-with-biased-neighbours"] == some_biased


def test_the_objective_of_nearly_every_real_word_is_lowered() -> None:
    details = fit(QUICK, load(), concept("gender")).stages[0].details
    lowered = details["share-of-words-whose-objective-was-lowered"]
    before, after = details["mean-objective-before"], details["mean-objective-after"]
    assert isinstance(lowered, float)
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert lowered >= 0.99
    assert after < 0.6 * before


def test_words_leave_the_direction_and_stay_near_what_they_were() -> None:
    vectors, gender = load(limit=3000), concept("gender")
    eraser = fit(QUICK, vectors, gender)
    after = debiased(vectors, eraser)
    step = eraser.steps[1]
    assert isinstance(step, TheseWords)
    g = (vectors["she"] - vectors["he"]).astype(float)
    g /= np.linalg.norm(g)
    rows = vectors.words.rows_of(step.words)
    before = vectors.matrix[rows] / np.linalg.norm(vectors.matrix[rows], axis=1, keepdims=True)
    now = after.matrix[rows]
    assert np.abs(now @ g).mean() < 0.2 * np.abs(before @ g).mean()
    assert np.median((now * before).sum(axis=1)) > 0.97


def test_specific_words_and_names_only_change_their_length() -> None:
    vectors, gender = load(limit=3000), concept("gender")
    eraser = fit("ran(steps=5)", vectors, gender)
    step = eraser.steps[1]
    assert isinstance(step, TheseWords)
    named = {word.lower() for item in gender.names.values() for word in item.all_words}
    assert not (set(specific_words(gender)) | named) & set(step.words)
    after = debiased(vectors, eraser)
    for word in ("she", "he", "mother", "king", "john"):
        unit = vectors[word] / np.linalg.norm(vectors[word])
        np.testing.assert_allclose(after[word], unit, atol=1e-6)


def test_without_repulsion_and_neutralisation_words_stay() -> None:
    vectors = wide_space(seed=2, count=60, dim=6, lean=0.8)
    asked = "ran(repulsion=0.0, neutralisation=0.0, steps=50)"
    after = debiased(vectors, fit(asked, vectors, small_concept()))
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    assert ((after.matrix * units).sum(axis=1) > 0.999).all()


def test_it_reports_how_far_it_is() -> None:
    seen: list[tuple[str, int, int]] = []
    vectors, toy = wide_space(seed=2, count=600, dim=6), small_concept()
    fit("ran(steps=3)", vectors, toy, progress=lambda *what: seen.append(what))
    assert {what for what, _, _ in seen} == {"Finding neighbours", "Moving words"}
    assert seen[-1][1] == seen[-1][2] == 600


@pytest.mark.parametrize(
    "wrong", ["neighbours=0", "steps=0", "learning_rate=0.0", "attraction=-1.0"]
)
def test_settings_that_make_no_sense_are_refused(wrong: str) -> None:
    with pytest.raises(ExpressionError, match="ran"):
        fit(f"ran({wrong})", wide_space(seed=0), small_concept())
