"""The torch network, against a second implementation that takes one pair at a time."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.pair_by_pair import PairByPair
from tests.random_nli import random_tensors
from unslant.models.nli.settings import Shape

torch = pytest.importorskip("torch", reason="the network is made of torch's layers")

DIM, HIDDEN = 7, 12
SHAPES = [
    Shape(dim=DIM, hidden=HIDDEN, encoder=encoder, intra=intra)
    for encoder in ("projection", "bilstm")
    for intra in (False, True)
]
EVERY_SHAPE = pytest.mark.parametrize(
    "shape", SHAPES, ids=lambda shape: f"{shape.encoder}{'+intra' if shape.intra else ''}"
)
LENGTHS = [(3, 2), (1, 1), (14, 1), (2, 25), (5, 5), (1, 6)]


def network_with(shape: Shape, tensors: dict[str, NDArray[np.float32]]) -> Any:
    from unslant.models.nli.network import NliNetwork

    network = NliNetwork(shape)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})
    return network.eval()


def sentences(rng: np.random.Generator, words: int) -> list[tuple[list[int], list[int]]]:
    return [
        (rng.integers(words, size=a).tolist(), rng.integers(words, size=b).tolist())
        for a, b in LENGTHS
    ]


def padded(side: list[list[int]], extra: int = 0, filling: int = 0) -> Any:
    from unslant.models.nli.network import Padded

    longest = max(map(len, side)) + extra
    places = [[*each, *[filling] * (longest - len(each))] for each in side]
    is_word = [[place < len(each) for place in range(longest)] for each in side]
    return Padded(torch.tensor(places), torch.tensor(is_word))


def logits(network: Any, rows: NDArray[np.float32], pairs: Any, **padding: int) -> Any:
    with torch.inference_mode():
        sides = (padded([pair[side] for pair in pairs], **padding) for side in (0, 1))
        return network(torch.from_numpy(rows), *sides).numpy()


@pytest.fixture
def rows() -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(size=(9, DIM)).astype(np.float32)


@EVERY_SHAPE
def test_a_batch_gives_what_each_pair_gives_alone_by_the_equations(
    shape: Shape, rows: NDArray[np.float32]
) -> None:
    tensors = random_tensors(shape, seed=3)
    pairs = sentences(np.random.default_rng(2), len(rows))
    plain, double = PairByPair(shape, tensors), rows.astype(np.float64)
    expected = np.array([plain.logits(double[a], double[b]) for a, b in pairs])
    found = logits(network_with(shape, tensors), rows, pairs)
    assert expected.std(axis=0).min() > 0.1, "pairs whose answers are all alike would test little"
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * abs(expected).max())


@EVERY_SHAPE
def test_more_padding_of_any_kind_changes_nothing(shape: Shape, rows: NDArray[np.float32]) -> None:
    network = network_with(shape, random_tensors(shape, seed=4))
    pairs = sentences(np.random.default_rng(5), len(rows))
    expected = logits(network, rows, pairs)
    scale = abs(expected).max()
    for padding in ({"extra": 9}, {"filling": 3}, {"extra": 1, "filling": 8}):
        found = logits(network, rows, pairs, **padding)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * scale)


@EVERY_SHAPE
def test_the_order_of_a_batch_changes_nothing(shape: Shape, rows: NDArray[np.float32]) -> None:
    network = network_with(shape, random_tensors(shape, seed=6))
    pairs = sentences(np.random.default_rng(7), len(rows))
    order = np.random.default_rng(8).permutation(len(pairs))
    expected = logits(network, rows, pairs)[order]
    found = logits(network, rows, [pairs[place] for place in order])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * abs(expected).max())


@EVERY_SHAPE
def test_a_loss_reaches_every_weight(shape: Shape, rows: NDArray[np.float32]) -> None:
    network = network_with(shape, random_tensors(shape, seed=9)).train()
    pairs = sentences(np.random.default_rng(10), len(rows))
    sides = (padded([pair[side] for pair in pairs]) for side in (0, 1))
    found = network(torch.from_numpy(rows), *sides)
    torch.nn.functional.cross_entropy(found, torch.arange(len(pairs)) % 3).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert bool(parameter.grad.abs().sum() > 0), name


@EVERY_SHAPE
def test_weights_have_the_names_and_shapes_that_the_shape_says(shape: Shape) -> None:
    from unslant.models.nli.network import NliNetwork

    found = {name: tuple(value.shape) for name, value in NliNetwork(shape).state_dict().items()}
    assert found == shape.tensors()


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.reads_context], ids=str)
def test_a_word_depends_on_the_order_of_its_sentence_where_context_is_read(
    shape: Shape, rows: NDArray[np.float32]
) -> None:
    tensors = random_tensors(shape, seed=11)
    if shape.intra:  # a word that attends to itself alone would not notice
        tensors["intra.1.weight"] *= 0.1
    network = network_with(shape, tensors)
    one, other = logits(network, rows, [([1, 2, 3, 4], [5]), ([4, 2, 3, 1], [5])])
    assert abs(one - other).max() > 1e-3


def test_a_projection_does_not_see_the_order_of_words(rows: NDArray[np.float32]) -> None:
    network = network_with(SHAPES[0], random_tensors(SHAPES[0], seed=12))
    one, other = logits(network, rows, [([1, 2, 3, 4], [5, 6]), ([4, 2, 3, 1], [6, 5])])
    np.testing.assert_allclose(one, other, rtol=1e-4)


def test_dropout_acts_in_training_alone(rows: NDArray[np.float32]) -> None:
    from unslant.models.nli.network import NliNetwork

    network = NliNetwork(SHAPES[0], rate=0.5)
    pairs = sentences(np.random.default_rng(13), len(rows))
    sides = [padded([pair[side] for pair in pairs]) for side in (0, 1)]
    table = torch.from_numpy(rows)
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        trained = [network.train()(table, *sides) for _ in range(2)]
        asked = [network.eval()(table, *sides) for _ in range(2)]
    assert not torch.equal(*trained)
    assert torch.equal(*asked)
