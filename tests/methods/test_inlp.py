"""INLP: the projection is what the rounds say, and nothing is left to learn on held-out words."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.seeds import generator
from unslant.erasers import Eraser
from unslant.methods.labelled_words import labelled_words
from unslant.methods.pipeline import fit
from unslant.numerics.strata import split_by_shares
from unslant.vectors import WordVectors, load


@pytest.fixture(scope="module")
def real() -> tuple[WordVectors, Eraser]:
    vectors = load()
    return vectors, fit("inlp", vectors, concept("gender"))


def test_no_linear_classifier_beats_chance_by_two_points_on_held_out_words(
    real: tuple[WordVectors, Eraser],
) -> None:
    vectors, eraser = real
    policy = WordPolicy(missing="drop")
    words = labelled_words(
        vectors, concept("gender"), policy, by="inlp", on="leaning", n=7500, neutral=True
    )
    part = split_by_shares(words.labels, (0.49, 0.21, 0.3), generator(0, "inlp"))
    train, held = part == 0, part == 2
    before = words.features(vectors)
    after = eraser.apply(before)
    for probe in (LinearSVC(dual=False), LogisticRegression(max_iter=2000)):
        for rows, low, high in ((before, 0.95, 1.0), (after, 0.0, 1 / 3 + 0.02)):
            unit = rows / np.sqrt((before**2).mean())
            score = probe.fit(unit[train], words.labels[train]).score(
                unit[held], words.labels[held]
            )
            assert low <= score <= high


def test_what_is_removed_is_the_sum_of_the_rounds(real: tuple[WordVectors, Eraser]) -> None:
    vectors, eraser = real
    details = eraser.stages[0].details
    removed, affine = eraser.stages[0].removed, eraser.affine
    assert removed is not None
    assert affine is not None
    assert details["dimensions-removed"] == len(removed) == 3 * int(str(details["rounds"]))
    assert np.linalg.matrix_rank(affine[0], tol=1e-9) == vectors.dim - len(removed)
    assert vectors.dim - len(removed) > 20
    judged = [float(part) for part in str(details["accuracy-by-round"]).split(", ")]
    assert judged[0] > 0.9
    assert np.mean(judged[-3:]) <= 1 / 3 + 0.011


@pytest.mark.parametrize("seed", range(3))
def test_a_plain_version_of_the_rounds_gives_the_same_projection(seed: int) -> None:
    vectors = wide_space(seed, 1200, dim=12, lean=1.0)
    found = fit(f"inlp(rounds=3, n=100, seed={seed})", vectors, small_concept()).affine
    words = labelled_words(
        vectors, small_concept(), WordPolicy(), by="inlp", on="leaning", n=100, neutral=True
    )
    train = split_by_shares(words.labels, (0.49, 0.21, 0.3), generator(seed, "inlp")) == 0
    rows = words.features(vectors)
    rows = rows / np.sqrt((rows**2).mean())
    kept = np.eye(12)
    normals = []
    for _ in range(3):
        machine = LinearSVC(dual=False, fit_intercept=False, tol=1e-3, random_state=0)
        normals.append(machine.fit(rows[train] @ kept, words.labels[train]).coef_)
        stacked = np.concatenate(normals)
        kept = np.eye(12) - np.linalg.pinv(stacked) @ stacked
    assert found is not None
    np.testing.assert_allclose(found[0], kept, atol=1e-6)
    for weights in normals:
        assert np.abs(weights @ found[0]).max() < 1e-8


def test_two_labels_cost_one_dimension_a_round_and_find_the_direction_first() -> None:
    vectors = wide_space(0, 4000, dim=30, lean=3.0)
    eraser = fit("inlp(n=200, neutral=false)", vectors, small_concept())
    details, removed = eraser.stages[0].details, eraser.stages[0].removed
    assert removed is not None
    assert details["dimensions-removed"] == details["rounds"]
    assert np.linalg.norm(removed[:, 0]) > 0.99
    assert details["accuracy-on-held-out-words-before"] == pytest.approx(1, abs=0.02)
    assert abs(float(str(details["accuracy-on-held-out-words-after"])) - 0.5) < 0.1


def test_information_weights_take_each_round_out_by_what_it_told() -> None:
    vectors = wide_space(0, 1200, dim=12, lean=1.0)
    options = "n=100, rounds=3, neutral=false"
    hard = fit(f"inlp({options})", vectors, small_concept())
    soft = fit(f"inlp({options}, weights=information)", vectors, small_concept())
    assert hard.affine is not None
    assert soft.affine is not None
    gone, weakened = (np.eye(12) - affine[0] for affine in (hard.affine, soft.affine))
    assert soft.stages[0].removed is None
    judged = str(soft.stages[0].details["accuracy-by-round"]).split(", ")[:3]
    taken = np.sort(np.linalg.eigvalsh(weakened))[-3:]
    asked = np.sort([abs(2 * float(accuracy) - 1) for accuracy in judged])
    np.testing.assert_allclose(taken, asked, atol=2e-3)
    np.testing.assert_allclose(gone @ weakened, weakened)


def test_it_says_when_rounds_or_dimensions_run_out() -> None:
    [*_, told] = fit("inlp(rounds=1)", load(limit=6000), concept("gender")).stages[0].warnings
    assert told.startswith(
        "the rounds are used up, and a linear classifier still has an accuracy of"
    )
    narrow = wide_space(0, 4000, dim=4, lean=1.0)
    stage = fit("inlp", narrow, small_concept()).stages[0]
    assert stage.details["dimensions-left"] == 1
    assert stage.warnings[-1].startswith("no dimension is left to remove")
    with pytest.raises(UndefinedMeasureError, match="could remove from the 3 dimensions"):
        fit("inlp", wide_space(0, 4000, dim=3, lean=1.0), small_concept())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("inlp(rounds=0)", "at least 1"),
        ("inlp(weights=some)", "must be one of none, information"),
        ("inlp(on=words)", "10 words for each group"),
    ],
)
def test_what_it_cannot_do_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        fit(wrong, wide_space(0, 1200, dim=12, lean=1.0), small_concept())


def test_it_reports_its_rounds_while_it_works() -> None:
    seen: list[tuple[str, int, int]] = []
    fit(
        "inlp(rounds=4, n=100)",
        wide_space(0, 1200, dim=20, lean=1.0),
        small_concept(),
        progress=lambda what, done, total: seen.append((what, done, total)),
    )
    assert seen[0] == ("rounds of inlp", 0, 4)
