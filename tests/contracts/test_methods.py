"""Every debiasing method: what it claims holds, on made-up and on real vectors, and in bad cases.

A method subscribes to a test of ``PROMISES`` by claiming the guarantee of that name.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.spaces import small_concept
from tests.wide import wide_space, without_sides
from unslant.concepts import Concept, concept
from unslant.core.errors import UnslantError
from unslant.erasers import EachVector, Eraser, GradedRotation
from unslant.erasers.eraser import UNTOUCHED, directions_touched
from unslant.methods.method import DEBIASERS, GUARANTEES
from unslant.methods.pipeline import fit
from unslant.methods.specific_words import specific_words
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

Space = tuple[WordVectors, Concept]
Fits = Callable[[str, str], tuple[Space, Eraser, WordVectors]]

ANALOGIES = Path(__file__).parents[1] / "methods" / "analogies.txt"

QUICK: dict[str, str] = {
    "adversarial": f'adversarial(analogies="{ANALOGIES}", learning_rate=0.001, steps=1500)',
    "debiasnet": "debiasnet(steps=20, vocabulary=2000)",
    "double-hard": "double-hard(candidates=3, n=100)",
    "gp": "gp(epochs=2, joint_epochs=2, vocabulary=2000)",
    "inlp": "inlp(rounds=3, n=200)",
    "ran": "ran(vocabulary=2000, steps=50)",
    "rlace": "rlace(iterations=200, n=200)",
}
"""How to write a method in these tests, where its defaults would take long."""

NEEDS_DATA: set[str] = set()
"""Methods that train on a benchmark file, which is not in the package."""

NEEDS_TORCH = {"debiasnet", "gp"}

ON_WORDS = [entry for entry in DEBIASERS if not entry.facts.acts_on.only_places]
METHODS = [entry.name for entry in ON_WORDS]
CLAIMS = [(entry.name, claim) for entry in ON_WORDS for claim in sorted(entry.facts.guarantees)]


def expression(name: str) -> str:
    return QUICK.get(name, name)


def made_up() -> Space:
    return wide_space(seed=3, count=1200, dim=12, lean=1.0), small_concept()


def real() -> Space:
    return load(limit=6000), concept("gender")


SPACES: dict[str, Callable[[], Space]] = {"made-up": made_up, "real": real}


@pytest.fixture(autouse=True)
def data_where_needed(request: pytest.FixtureRequest) -> None:
    name = getattr(request.node, "callspec", None) and request.node.callspec.params.get("name")
    if name in NEEDS_DATA:
        request.getfixturevalue("data")
    if name in NEEDS_TORCH:
        pytest.importorskip("torch", reason=f"{name} needs torch, which is not installed")


@pytest.fixture(scope="module")
def fits() -> Fits:
    """Each method fitted once on each space, for all tests of this module."""
    known: dict[tuple[str, str], tuple[Space, Eraser, WordVectors]] = {}

    def fitted(name: str, where: str) -> tuple[Space, Eraser, WordVectors]:
        if (name, where) not in known:
            vectors, subject = SPACES[where]()
            eraser = fit(expression(name), vectors, subject)
            known[name, where] = (vectors, subject), eraser, debiased(vectors, eraser)
        return known[name, where]

    return fitted


def probe_rows(eraser: Eraser, seed: int = 0) -> NDArray[np.float64]:
    """Vectors that belong to no word, in double precision."""
    return np.random.default_rng(seed).normal(size=(50, eraser.dim))


def removes_subspace(space: Space, eraser: Eraser, after: WordVectors) -> None:
    removed = eraser.stages[0].removed
    assert removed is not None
    np.testing.assert_allclose(removed @ removed.T, np.eye(len(removed)), atol=1e-9)
    spared = set(specific_words(space[1])) if spares(eraser) else set()
    rows = [row for row, word in enumerate(after.words) if word not in spared]
    matrix = after.matrix[rows].astype(np.float64)
    lengths = np.linalg.norm(space[0].matrix[rows], axis=1)
    assert np.abs(matrix @ removed.T).max() <= 2e-6 * lengths.max()


def is_idempotent(space: Space, eraser: Eraser, after: WordVectors) -> None:
    once = eraser.apply(probe_rows(eraser))
    np.testing.assert_allclose(eraser.apply(once), once, atol=1e-10)


def is_affine(space: Space, eraser: Eraser, after: WordVectors) -> None:
    assert eraser.affine is not None
    rows = probe_rows(eraser)
    matrix, offset = eraser.affine
    np.testing.assert_allclose(eraser.apply(rows), rows @ matrix + offset, atol=1e-10)


def is_linear(space: Space, eraser: Eraser, after: WordVectors) -> None:
    assert eraser.affine is not None
    assert not eraser.affine[1].any()
    is_affine(space, eraser, after)
    rows = probe_rows(eraser)
    twice = eraser.apply(2 * rows[:25] - rows[25:])
    np.testing.assert_allclose(
        twice, 2 * eraser.apply(rows[:25]) - eraser.apply(rows[25:]), atol=1e-10
    )


def is_orthogonal_projection(space: Space, eraser: Eraser, after: WordVectors) -> None:
    assert eraser.affine is not None
    matrix, _ = eraser.affine
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    np.testing.assert_allclose(matrix @ matrix, matrix, atol=1e-12)


def keeps_length(space: Space, eraser: Eraser, after: WordVectors) -> None:
    rows = probe_rows(eraser)
    before, now = np.linalg.norm(rows, axis=1), np.linalg.norm(eraser.apply(rows), axis=1)
    np.testing.assert_allclose(now, before, rtol=1e-10)


def orthogonalises(space: Space, eraser: Eraser, after: WordVectors) -> None:
    [step] = eraser.steps
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, GradedRotation)
    pair = np.stack([step.transform.kept, step.transform.turned])
    kept, turned = eraser.apply(pair)
    np.testing.assert_allclose(kept, pair[0], atol=1e-6)
    assert abs(kept @ turned) <= 1e-6


def has_unit_length(space: Space, eraser: Eraser, after: WordVectors) -> None:
    lengths = np.linalg.norm(after.matrix.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-6)


def spares_specific_words(space: Space, eraser: Eraser, after: WordVectors) -> None:
    vectors, subject = space
    set_words = {w for step in eraser.steps for w in getattr(step, "words", ())}
    words = [w for w in specific_words(subject) if w in vectors and w not in set_words]
    for word in words:
        a, b = vectors[word].astype(np.float64), after[word].astype(np.float64)
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        assert cosine == pytest.approx(1, abs=1e-6), word


def needs_no_words(space: Space, eraser: Eraser, after: WordVectors) -> None:
    rows = probe_rows(eraser)
    changed = eraser.apply(rows)
    assert np.isfinite(changed).all()
    assert changed.shape == (50, eraser.dim_out)


def outcome(name: str, vectors: WordVectors, subject: Concept) -> str | None:
    """The refusal of a method; None where it worked and every number is finite."""
    try:
        after = debiased(vectors, fit(expression(name), vectors, subject))
    except UnslantError as error:
        return str(error)
    assert np.isfinite(after.matrix).all()
    return None


def spares(eraser: Eraser) -> bool:
    return any(getattr(step, "spared", ()) for step in eraser.steps)


PROMISES: dict[str, Callable[[Space, Eraser, WordVectors], None]] = {
    "removes-subspace": removes_subspace,
    "idempotent": is_idempotent,
    "affine": is_affine,
    "linear": is_linear,
    "orthogonal-projection": is_orthogonal_projection,
    "keeps-length": keeps_length,
    "orthogonalises": orthogonalises,
    "unit-length": has_unit_length,
    "spares-specific-words": spares_specific_words,
    "needs-no-words": needs_no_words,
}


def test_every_guarantee_has_a_meaning_and_a_test() -> None:
    assert set(PROMISES) == set(GUARANTEES)
    for _, claim in CLAIMS:
        assert claim in GUARANTEES


@pytest.mark.parametrize("where", SPACES)
@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_what_a_method_claims_holds(fits: Fits, name: str, claim: str, where: str) -> None:
    PROMISES[claim](*fits(name, where))


@pytest.mark.parametrize("name", METHODS)
def test_words_and_their_order_are_kept_and_every_number_is_finite(fits: Fits, name: str) -> None:
    (vectors, _), eraser, after = fits(name, "real")
    assert after.words == vectors.words
    assert np.isfinite(after.matrix).all()
    assert after.dim == eraser.dim_out
    assert not np.array_equal(after.matrix, vectors.matrix)
    assert after.name.startswith(f"{vectors.name}.{name}")


@pytest.mark.parametrize("name", METHODS)
def test_a_saved_eraser_does_the_same_to_the_last_bit(
    fits: Fits, name: str, tmp_path: Path
) -> None:
    (vectors, _), eraser, after = fits(name, "real")
    again = Eraser.load(eraser.save(tmp_path / "eraser.safetensors"))
    assert again.expression == eraser.expression
    assert again.stages[0].details == dict(eraser.stages[0].details)
    assert again.stages[0].words == eraser.stages[0].words
    assert debiased(vectors, again).content_hash == after.content_hash


@pytest.mark.parametrize("name", METHODS)
def test_fitting_twice_gives_the_same_eraser(fits: Fits, name: str) -> None:
    (vectors, subject), _, after = fits(name, "made-up")
    again = debiased(vectors, fit(expression(name), vectors, subject))
    assert again.content_hash == after.content_hash


@pytest.mark.parametrize("name", METHODS)
def test_a_zero_vector_stays_zero_and_gives_no_nan(name: str) -> None:
    vectors, subject = made_up()
    matrix = vectors.matrix.copy()
    matrix[-1] = 0
    holed = WordVectors(vectors.words, matrix, vectors.lineage)
    after = debiased(holed, fit(expression(name), holed, subject))
    assert not after.matrix[-1].any()
    assert np.isfinite(after.matrix).all()


@pytest.mark.parametrize("name", METHODS)
def test_a_zero_vector_among_the_defining_words_has_a_defined_outcome(name: str) -> None:
    vectors, subject = made_up()
    matrix = vectors.matrix.copy()
    matrix[list(vectors.words).index("l1")] = 0
    refusal = outcome(name, WordVectors(vectors.words, matrix, vectors.lineage), subject)
    assert refusal is None or "zero vector" in refusal


@pytest.mark.parametrize("name", METHODS)
def test_missing_words_are_dropped_and_listed_or_stop_the_fit(name: str) -> None:
    vectors, subject = made_up()
    fewer = vectors.only([word for word in vectors.words if word not in ("l2", "n3")])
    stage = fit(expression(name), fewer, subject).stages[0]
    used = {word for use in stage.words for word in use.used}
    assert not {"l2", "n3"} & used
    whole = fit(expression(name), vectors, subject).stages[0]
    asked = {word for use in whole.words for word in use.used}
    missing = {word for use in stage.words for word in (*use.missing, *use.set_aside)}
    assert {"l2", "n3"} & asked <= missing


@pytest.mark.parametrize("name", METHODS)
def test_sides_that_do_not_differ_are_refused_by_name_or_do_no_harm(name: str) -> None:
    vectors, subject = made_up()
    refusal = outcome(name, without_sides(vectors), subject)
    assert refusal is None or "l0" in refusal or name in refusal


@pytest.mark.parametrize("subject", ["race-multi", "religion", "nationality", "age", "race"])
@pytest.mark.parametrize("name", METHODS)
def test_other_kinds_of_concept_work_or_are_refused_in_one_sentence(
    name: str, subject: str, glove: WordVectors
) -> None:
    refusal = outcome(name, glove, concept(subject))
    assert refusal is None or name in refusal or subject in refusal
    assert refusal is None or len(refusal) < 400


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    entry = DEBIASERS.entry(name)
    assert entry.summary.endswith((".", ":"))
    assert entry.cites
    assert entry.facts.guarantees


WITHOUT_A_NUMBER = {
    "debiasnet": "a network bends every direction",
    "gp": "a network bends every direction",
    "ran": "it sets the vectors of single words",
}
"""Methods that no number of random directions matches, and why."""


def movement(name: str, space: Space, eraser: Eraser, after: WordVectors) -> NDArray[np.float64]:
    """The matrix that moves words which are mapped like all others, without what scaled them."""
    named = {w for step in eraser.steps for w in getattr(step, "words", ())}
    named |= {w for step in eraser.steps for w in getattr(step, "spared", ())}
    rows = [row for row, word in enumerate(after.words) if word not in named]
    old, new = (vectors.matrix[rows].astype(np.float64) for vectors in (space[0], after))
    new = np.pad(new, ((0, 0), (0, old.shape[1] - new.shape[1])))
    if name in ("hard", "soft"):  # both begin with vectors of length 1, and hard ends with them
        old /= np.linalg.norm(old, axis=1, keepdims=True)
    if name == "hard":
        new *= (old * new).sum(axis=1, keepdims=True)
    change = new - old
    return np.asarray(np.linalg.lstsq(old - old.mean(axis=0), change - change.mean(axis=0))[0])


@pytest.mark.parametrize("name", METHODS)
def test_a_control_removes_as_many_directions_as_the_words_moved_along(
    fits: Fits, name: str
) -> None:
    space, eraser, after = fits(name, "real")
    if name in WITHOUT_A_NUMBER:
        assert directions_touched(eraser) is None
        return
    sizes = np.linalg.svd(movement(name, space, eraser, after), compute_uv=False)
    assert directions_touched(eraser) == int((sizes > UNTOUCHED * sizes[0]).sum())


def test_a_chain_counts_each_direction_once() -> None:
    vectors, subject = real()
    for chain, count in (("random | random", 1), ("linear | misp", 5), ("hard | misp", 5)):
        assert directions_touched(fit(chain, vectors, subject)) == count
