"""LEACE and SAL: nothing is left on the words fitted on, and LEACE changes least."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import ExpressionError
from unslant.core.types import Array
from unslant.erasers import Eraser
from unslant.methods.labelled_words import Labels, labelled_words
from unslant.methods.pipeline import fit
from unslant.vectors import WordVectors, load

POLICY = WordPolicy(missing="drop")


def fitted_data(vectors: WordVectors, name: str, neutral: bool = False) -> tuple[Array, Labels]:
    subject = small_concept() if name == "toy" else concept(name)
    words = labelled_words(
        vectors, subject, POLICY, by="leace", on="leaning", n=7500, neutral=neutral
    )
    return words.features(vectors), words.labels


def covariance(rows: Array, labels: Labels) -> Array:
    marks = np.eye(labels.max() + 1)[labels]
    return np.asarray((rows - rows.mean(axis=0)).T @ (marks - marks.mean(axis=0)) / len(rows))


@pytest.mark.parametrize("method", ["leace", "sal"])
@pytest.mark.parametrize("name", ["gender", "religion"])
def test_on_real_vectors_logistic_regression_learns_nothing_from_the_words_fitted_on(
    method: str, name: str
) -> None:
    vectors = load()
    eraser = fit(f"{method}(held_out=0)", vectors, concept(name))
    rows, labels = fitted_data(vectors, name)
    after = np.asarray(eraser.apply(rows), dtype=np.float64)
    assert np.abs(covariance(after, labels)).max() < 1e-10
    assert eraser.stages[0].details["dimensions-removed"] == labels.max()
    spread = after.std(axis=0)
    probe = LogisticRegression(C=1e3, tol=1e-8, max_iter=2000).fit(after / spread, labels)
    assert np.abs(probe.coef_).max() < 1e-3
    before = LogisticRegression(C=1e3, max_iter=2000).fit(rows / rows.std(axis=0), labels)
    assert np.abs(before.coef_).max() > 0.1


def test_the_mean_of_the_words_fitted_on_is_kept() -> None:
    """x ↦ Px alone would move the mean, which is far from 0 in word vectors."""
    vectors = load(limit=6000)
    rows, _ = fitted_data(vectors, "gender")
    after = np.asarray(fit("leace(held_out=0)", vectors, concept("gender")).apply(rows))
    assert np.linalg.norm(rows.mean(axis=0)) > 1
    np.testing.assert_allclose(after.mean(axis=0), rows.mean(axis=0), atol=1e-9)


def changed(eraser: Eraser, rows: Array) -> float:
    return float(((eraser.apply(rows) - rows) ** 2).sum(axis=1).mean())


def test_leace_changes_vectors_less_than_sal_and_inlp_do() -> None:
    vectors, subject = load(), concept("gender")
    rows, _ = fitted_data(vectors, "gender")
    least = fit("leace(held_out=0, shrinkage=false)", vectors, subject)
    shrunk = fit("leace(held_out=0)", vectors, subject)
    sal = fit("sal(held_out=0)", vectors, subject)
    inlp = fit("inlp(neutral=false)", vectors, subject)
    change = [changed(eraser, rows) for eraser in (least, shrunk, sal, inlp)]
    assert change == sorted(change)
    assert change[1] < 1.01 * change[0]
    assert change[3] > 2 * change[0]


def test_sal_takes_out_the_difference_of_means() -> None:
    vectors = load()
    rows, labels = fitted_data(vectors, "gender")
    gap = rows[labels == 0].mean(axis=0) - rows[labels == 1].mean(axis=0)
    removed = fit("sal(held_out=0)", vectors, concept("gender")).stages[0].removed
    assert removed is not None
    assert abs(removed[0] @ gap) / np.linalg.norm(gap) == pytest.approx(1, abs=1e-9)


def test_real_vectors_come_out_as_from_the_package_of_the_authors() -> None:
    torch = pytest.importorskip("torch")
    package = pytest.importorskip("concept_erasure")
    vectors = load()
    for name, neutral in (("gender", True), ("religion", False)):
        rows, labels = fitted_data(vectors, name, neutral)
        x, z = torch.from_numpy(rows), torch.from_numpy(np.eye(labels.max() + 1)[labels])
        theirs = package.LeaceFitter.fit(x, z, svd_tol=1e-9).eraser(x).numpy()
        flag = str(neutral).lower()
        mine = fit(f"leace(held_out=0, neutral={flag})", vectors, concept(name)).apply(rows)
        np.testing.assert_allclose(mine, theirs, atol=1e-4)


def test_the_tolerance_of_the_package_leaves_weak_covariance_that_ours_erases() -> None:
    torch = pytest.importorskip("torch")
    package = pytest.importorskip("concept_erasure")
    rng = np.random.default_rng(0)
    labels = np.arange(40_000) % 2
    rows = rng.normal(size=(40_000, 3))
    rows[:, 0] += 0.02 * labels
    x, z = torch.from_numpy(rows), torch.from_numpy(np.eye(2)[labels])
    theirs = package.LeaceFitter.fit(x, z).eraser(x).numpy()
    np.testing.assert_array_equal(theirs, rows)

    from unslant.numerics.erasure import erasure, indicators

    mine = erasure(rows, indicators(labels), whitened=True, shrinkage=True).apply(rows)
    assert np.abs(covariance(mine, labels)).max() < 1e-12


@pytest.mark.parametrize("method", ["leace", "sal"])
def test_held_out_words_are_told_before_and_hardly_after(method: str) -> None:
    details = fit(method, load(), concept("gender")).stages[0].details
    share = {key: float(value) for key, value in details.items() if isinstance(value, float)}
    assert share["accuracy-on-held-out-words-before"] > 0.99
    assert share["accuracy-on-held-out-words-after"] < 0.52
    assert share["the-same,-learned-from-half-of-them,-before"] > 0.95
    assert share["the-same,-learned-from-half-of-them,-after"] < 0.6
    assert 0 < share["share-of-variance-changed"] < 0.1
    assert details["words-fitted-on"] == round(0.7 * 1765) * 2


@pytest.mark.parametrize("method", ["leace", "sal"])
def test_few_words_are_all_fitted_on_and_that_is_said(method: str) -> None:
    vectors = wide_space(0, 100)
    eraser = fit(f"{method}(on=words)", vectors, small_concept())
    assert "too few to hold any out" in eraser.stages[0].warnings[-1]
    after = eraser.apply(vectors.matrix[:6].astype(np.float64))
    np.testing.assert_allclose(after[:3].mean(axis=0), after[3:].mean(axis=0), atol=1e-10)
    with pytest.raises(ExpressionError, match='"held_out" parameter'):
        fit(f"{method}(on=words, held_out=1)", vectors, small_concept())
