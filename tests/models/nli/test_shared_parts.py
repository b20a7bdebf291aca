"""A grid done by its shared parts, against the same pairs done one by one."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.random_nli import random_model
from unslant.core.errors import UnslantError
from unslant.models.nli import grid as shared_parts
from unslant.models.nli.attention import DecomposableAttention
from unslant.models.nli.trained import builtin_nli
from unslant.predictors.protocols import Context, PairGrid, Probabilities
from unslant.probes.nli.sets import pair_set
from unslant.vectors import WordVectors

WORDS = (
    "the",
    "a",
    "an",
    "nurse",
    "man",
    "rude",
    "kind",
    "person",
    "he",
    "sold",
    "car",
    "for",
    ".",
)
SUBJECTS = ("The nurse", "The man", "The kind person", "The person", "The woman")
CONTEXTS = (
    Context("", "bought a car ."),
    Context("", "sold the car for a man ."),
    Context("Yesterday", ""),
    Context("Tom said that", "ate the apple ."),
    Context("", "ate ."),
)


def one_by_one(model: DecomposableAttention, grid: PairGrid) -> Probabilities:
    premises, hypotheses = map(list, zip(*grid.pairs(), strict=True))
    return model.predict(premises, hypotheses).reshape(*grid.shape, 3)


def assert_same(model: DecomposableAttention, grid: PairGrid, atol: float = 2e-6) -> None:
    found = model.predict_grid(grid)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, one_by_one(model, grid), atol=atol, rtol=0)


def phrases(least: int, most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=least, max_size=most).map(" ".join)


@st.composite
def grids(draw: st.DrawFn) -> PairGrid:
    shared = draw(phrases(0, 2))
    fillers = st.lists(phrases(1, 3).map(lambda text: f"{shared} {text}"), min_size=1, max_size=4)
    contexts = st.lists(st.builds(Context, phrases(0, 2), phrases(0, 4)), min_size=1, max_size=5)
    return PairGrid(tuple(draw(fillers)), tuple(draw(fillers)), tuple(draw(contexts)))


@settings(deadline=None, max_examples=80)
@given(grids(), st.sampled_from([1.0, 10.0]), st.sampled_from([1, 3, 2048]))
def test_any_grid_gets_what_its_pairs_get(grid: PairGrid, attend: float, rows: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_parts, "_ROWS", rows)
        patch.setattr(shared_parts, "_LEAST_FILLERS", 1)
        assert_same(random_model(attend=attend), grid)


@pytest.mark.parametrize(
    ("premises", "hypotheses"),
    [
        (SUBJECTS, SUBJECTS),
        (("A nurse", "An actor", "A man"), ("A woman", "An aunt")),
        (("The rude person", "The kind person"), ("The Greek person", "The Thai person")),
        (("A person",), ("He", "She", "A man", "Tom")),
        (("The man",), ("The man",)),
        (("The man", "The man"), ("The man", "The man man")),
        (("bought",), ("car", "a a car")),
    ],
    ids=["determiner", "a-an", "two shared", "none shared", "one", "twice", "context words"],
)
def test_fillers_of_every_kind_get_what_their_pairs_get(
    premises: tuple[str, ...], hypotheses: tuple[str, ...]
) -> None:
    assert_same(random_model(), PairGrid(premises, hypotheses, CONTEXTS))
    assert_same(random_model(), PairGrid(premises, hypotheses, CONTEXTS[:1]))


def test_an_empty_filler_in_a_context_of_words_is_a_sentence() -> None:
    assert_same(random_model(), PairGrid(("", "Tom"), ("not",), (Context("It is", "true ."),)))


def test_a_context_without_words_is_done_too() -> None:
    assert_same(random_model(), PairGrid(SUBJECTS, SUBJECTS, (Context("", ""), *CONTEXTS)))


def test_an_empty_sentence_in_a_grid_is_refused() -> None:
    grid = PairGrid(("The man",), ("The woman", " "), (*CONTEXTS, Context("", "")))
    with pytest.raises(UnslantError, match="at least one word"):
        random_model().predict_grid(grid)


@pytest.mark.parametrize("attend", [30.0, 1e4])
def test_attention_that_saturates_neither_overflows_nor_differs(attend: float) -> None:
    found = random_model(attend=attend).predict_grid(PairGrid(SUBJECTS, SUBJECTS[1:], CONTEXTS))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-6)
    assert_same(random_model(attend=attend), PairGrid(SUBJECTS, SUBJECTS[1:], CONTEXTS))


def larger_grid(contexts: int = 300) -> PairGrid:
    objects = [f"{one}{two}" for one in "bcdfghjklmnpqrst" for two in "aeiouwxyz" for _ in "12"]
    return PairGrid(
        tuple(f"The {word}" for word in objects[:80]),
        tuple(f"The {word}" for word in ("man", "woman", "guy", "girl")),
        tuple(
            Context("", f"{'paid for' if n % 3 else 'sold'} a {objects[n % 288]} {n // 288} .")
            for n in range(contexts)
        ),
    )


def test_the_published_width_gets_what_its_pairs_get() -> None:
    model = random_model(dim=100, hidden=200)
    assert_same(model, larger_grid(6), atol=5e-6)


@pytest.mark.parametrize(
    ("name", "determiner"),
    [("gender-occupation", "The"), ("gender-occupation", "A"), ("nationality", "The")],
)
def test_the_model_in_the_package_gives_real_sets_what_their_pairs_get(
    glove: WordVectors, name: str, determiner: str
) -> None:
    model = builtin_nli().on(glove)
    assert isinstance(model, DecomposableAttention)
    assert_same(model, pair_set(name, determiner=determiner, contexts=2).grid)


def test_the_same_grid_gives_the_same_bits() -> None:
    model, grid = random_model(dim=20, hidden=50), larger_grid(60)
    assert np.array_equal(model.predict_grid(grid), model.predict_grid(grid))


def test_progress_rises_to_the_number_of_pairs() -> None:
    seen: list[tuple[str, int, int]] = []
    grid = larger_grid()
    random_model().predict_grid(grid, lambda *report: seen.append(report))
    done = [report[1] for report in seen]
    assert len(done) > 10
    assert done == sorted(set(done))
    assert done[-1] == len(grid)
    assert {report[2] for report in seen} == {len(grid)}


@pytest.mark.parametrize(
    "grid",
    [
        PairGrid((), SUBJECTS, CONTEXTS),
        PairGrid(SUBJECTS, (), CONTEXTS),
        PairGrid(SUBJECTS, SUBJECTS, ()),
    ],
    ids=["premises", "hypotheses", "contexts"],
)
def test_a_grid_without_pairs_has_no_answers(grid: PairGrid) -> None:
    assert random_model().predict_grid(grid).shape == (*grid.shape, 3)


def test_memory_does_not_grow_with_the_pairs() -> None:
    model, grid = random_model(hidden=200), larger_grid()
    everything = len(grid) * 200 * 4  # one hidden layer of all pairs, 77 MB
    model.predict_grid(larger_grid(4))
    tracemalloc.start()
    try:
        answers = model.predict_grid(grid)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - answers.nbytes < everything / 2
