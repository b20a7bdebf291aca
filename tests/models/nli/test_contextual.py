"""Models that read context: a grid gives what its pairs give one batch at a time."""

import sys
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.pair_by_pair import PairByPair, softmax
from tests.random_nli import DrawnRows, random_tensors
from unslant.core.errors import UnslantError
from unslant.datasets.nli.text import tokenise
from unslant.models.nli.batches import Embedding
from unslant.models.nli.settings import Shape
from unslant.models.nli.trained import TrainedNli
from unslant.predictors.protocols import Context, GridModel, PairGrid
from unslant.vectors import WordVectors

torch = pytest.importorskip("torch", reason="models that read context need torch")

from unslant.models.nli.contextual import ContextualAttention  # noqa: E402

DIM, HIDDEN = 7, 12
SHAPES = [
    Shape(dim=DIM, hidden=HIDDEN, encoder="bilstm"),
    Shape(dim=DIM, hidden=HIDDEN, intra=True),
    Shape(dim=DIM, hidden=HIDDEN, encoder="bilstm", intra=True),
]
EVERY_SHAPE = pytest.mark.parametrize(
    "shape", SHAPES, ids=lambda shape: f"{shape.encoder}{'+intra' if shape.intra else ''}"
)
GRID = PairGrid(
    ("The nurse", "An accountant", "A very old mother-in-law", "Nobody", "A mail carrier"),
    ("The man", "The woman", "A well-to-do gentleman", "She"),
    (
        Context("", "ate an apple ."),
        Context("", "rides a horse on the wide , old street !"),
        Context("We saw that", "ate an apple ."),
        Context("Yesterday morning we met", ""),
        Context("", "can't sleep ."),
        Context("", "swam in the lake ."),
    ),
)


def model_of(shape: Shape, seed: int = 0) -> ContextualAttention:
    return ContextualAttention(shape, random_tensors(shape, seed), DrawnRows(shape.dim))


def by_predict(model: ContextualAttention, grid: PairGrid) -> NDArray[np.float32]:
    pairs = list(grid.pairs())
    found = model.predict([premise for premise, _ in pairs], [other for _, other in pairs])
    return found.reshape(*grid.shape, 3)


@EVERY_SHAPE
def test_a_grid_gives_what_its_pairs_give(shape: Shape) -> None:
    model = model_of(shape)
    found, expected = model.predict_grid(GRID), by_predict(model, GRID)
    assert found.shape == (5, 4, 6, 3)
    assert found.dtype == np.float32
    assert expected.std() > 0.05
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(found.sum(axis=3), 1, atol=1e-5)


@EVERY_SHAPE
def test_both_give_what_the_equations_give_for_each_pair(shape: Shape) -> None:
    tensors, rows = random_tensors(shape), DrawnRows(shape.dim)
    plain = PairByPair(shape, tensors)

    def vectors(sentence: str) -> NDArray[np.float64]:
        return rows.rows(tokenise(sentence)).astype(np.float64)

    expected = [softmax(plain.logits(vectors(a), vectors(b)).tolist()) for a, b in GRID.pairs()]
    found = ContextualAttention(shape, tensors, rows).predict_grid(GRID)
    np.testing.assert_allclose(found.reshape(-1, 3), expected, atol=2e-5)


@pytest.mark.parametrize(("pairs", "sentences", "fillers"), [(1, 1, 1), (3, 10, 2), (7, 40, 3)])
def test_the_size_of_blocks_changes_nothing(
    pairs: int, sentences: int, fillers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unslant.models.nli import contextual

    model = model_of(SHAPES[2])
    whole = model.predict_grid(GRID)
    monkeypatch.setattr(contextual, "_PAIRS", pairs)
    monkeypatch.setattr(contextual, "_SENTENCES", sentences)
    monkeypatch.setattr(contextual, "_FILLERS", fillers)
    np.testing.assert_allclose(model.predict_grid(GRID), whole, atol=1e-5)


def test_more_pairs_than_a_batch_come_back_in_their_order() -> None:
    model = model_of(SHAPES[0])
    many = replace(GRID, contexts=GRID.contexts * 6)
    found = by_predict(model, many).reshape(5, 4, 6, 6, 3)
    for repeat in range(6):
        np.testing.assert_allclose(found[:, :, repeat], found[:, :, 0], atol=1e-5)
    assert len(many) > 512


def test_progress_reaches_the_number_of_pairs() -> None:
    said: list[tuple[str, int, int]] = []
    model_of(SHAPES[0]).predict_grid(GRID, lambda *line: said.append(line))
    counts = [done for _, done, _ in said]
    assert counts == sorted(counts)
    assert said[-1][1:] == (len(GRID), len(GRID))


@pytest.mark.parametrize("fails", [False, True])
def test_the_callers_threads_stay_as_they_were(fails: bool) -> None:
    def progress(*_: object) -> None:
        if fails:
            raise InterruptedError

    torch.set_num_threads(2)
    with suppress(InterruptedError):
        model_of(SHAPES[0]).predict_grid(GRID, progress)
    assert torch.get_num_threads() == 2
    model_of(SHAPES[0]).predict(["a man"], ["a dog"])
    assert torch.get_num_threads() == 2


def test_empty_sides_give_empty_answers() -> None:
    model = model_of(SHAPES[0])
    assert model.predict([], []).shape == (0, 3)
    for side in ("premises", "hypotheses", "contexts"):
        empty = replace(GRID, **{side: ()})
        assert model.predict_grid(empty).shape == (*empty.shape, 3)


def test_sentences_without_words_and_uneven_sides_are_refused() -> None:
    model = model_of(SHAPES[0])
    with pytest.raises(UnslantError, match="at least one word; got ' '"):
        model.predict(["A man ."], [" "])
    with pytest.raises(UnslantError, match="2 premises and 1 hypotheses"):
        model.predict(["a", "b"], ["c"])
    with pytest.raises(UnslantError, match="at least one word"):
        model.predict_grid(PairGrid(("a", ""), ("b",), (Context("", "c"), Context("", ""))))


def test_an_empty_filler_in_a_context_of_words_is_a_sentence() -> None:
    model = model_of(SHAPES[2])
    grid = PairGrid(("a", ""), ("b", ""), (Context("", "c d"), Context("e", "")))
    np.testing.assert_allclose(model.predict_grid(grid), by_predict(model, grid), atol=1e-5)


def test_it_is_a_grid_model_and_leaves_its_weights_alone() -> None:
    tensors = random_tensors(SHAPES[0])
    for value in tensors.values():
        value.flags.writeable = False
    model = ContextualAttention(SHAPES[0], tensors, DrawnRows(DIM))
    assert isinstance(model, GridModel)
    first = model.predict_grid(GRID)
    assert np.array_equal(first, model.predict_grid(GRID))


def test_real_sentences_on_real_vectors(glove: WordVectors) -> None:
    from unslant.probes.nli.sets import pair_set

    grid = pair_set("gender-occupation", contexts=3).grid
    some = replace(grid, premises=grid.premises[::8])
    for shape in (Shape(dim=100, encoder="bilstm"), Shape(dim=100, intra=True)):
        model = ContextualAttention(shape, random_tensors(shape, 1), Embedding(glove))
        found = model.predict_grid(some)
        np.testing.assert_allclose(found, by_predict(model, some), atol=1e-5)


def test_without_torch_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    vectors = WordVectors.of({"nurse": [1.0] * DIM})
    with pytest.raises(UnslantError, match=r"reads context needs torch; install it with: pip"):
        TrainedNli("made", SHAPES[0], random_tensors(SHAPES[0], 1), {}).on(vectors)
