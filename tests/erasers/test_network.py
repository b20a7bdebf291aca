"""The network that fitted erasers carry."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.made_erasers import made_of
from unslant.core.errors import DamagedFileError, UnslantError
from unslant.erasers import EachVector, Eraser, Network, store


def made(seed: int, last: str = "tanh") -> Network:
    rng = np.random.default_rng(seed)
    sizes = [(4, 6), (6, 3)]
    weights = tuple(rng.normal(size=size) for size in sizes)
    biases = tuple(rng.normal(size=size[1]) for size in sizes)
    return Network(weights, biases, 0.5, 3.0, last)


def by_hand(network: Network, row: list[float]) -> list[float]:
    state = [network.scale * value for value in row]
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        is_last = number == len(network.weights) - 1
        after = []
        for column in range(weight.shape[1]):
            total = bias[column]
            for place, value in enumerate(state):
                total += value * weight[place, column]
            after.append(total if is_last and network.last == "linear" else math.tanh(total))
        state = after
    return [network.scale_out * value for value in state]


@pytest.mark.parametrize("last", ["tanh", "linear"])
@pytest.mark.parametrize("seed", range(3))
def test_it_does_what_its_formula_says(seed: int, last: str) -> None:
    network = made(seed, last)
    rows = np.random.default_rng(seed).normal(size=(5, 4))
    expected = [by_hand(network, row.tolist()) for row in rows]
    np.testing.assert_allclose(network.apply(rows), expected, rtol=1e-12)
    assert network.dims == (4, 3)


def test_it_keeps_the_precision_and_leaves_its_input_alone() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    before = rows.copy()
    after = made(0).apply(rows)
    assert after.dtype == np.float32
    np.testing.assert_array_equal(rows, before)
    np.testing.assert_allclose(after, made(0).apply(rows.astype(np.float64)), atol=1e-5)


def test_it_comes_back_from_a_file_as_it_went(tmp_path: Path) -> None:
    network = made(1, "linear")
    eraser = made_of(EachVector(network))
    again = Eraser.load(eraser.save(tmp_path / "e.safetensors"))
    rows = np.random.default_rng(1).normal(size=(9, 4))
    np.testing.assert_array_equal(again.apply(rows), eraser.apply(rows))
    assert again.dim_out == 3
    assert again.affine is None


def test_a_zero_vector_stays_zero_in_an_eraser() -> None:
    eraser = made_of(EachVector(made(2)))
    rows = np.zeros((2, 4))
    rows[1] = 1
    after = eraser.apply(rows)
    assert not after[0].any()
    assert after[1].any()


def test_layers_that_do_not_fit_are_refused() -> None:
    one, other = np.zeros((2, 3)), np.zeros((4, 2))
    for weights, biases in (
        ((one, other), (np.zeros(3), np.zeros(2))),
        ((one,), (np.zeros(2),)),
        ((one,), ()),
        ((np.zeros(3),), (np.zeros(3),)),
        ((), ()),
    ):
        with pytest.raises(UnslantError, match="fit together"):
            Network(weights, biases)
    with pytest.raises(UnslantError, match="last layer"):
        Network((one,), (np.zeros(3),), last="relu")
    with pytest.raises(UnslantError, match="finite"):
        Network((one,), (np.zeros(3),), scale=math.inf)


def test_a_file_whose_layers_do_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eraser = made_of(EachVector(made(3)))
    whole = store._step_facts

    def shortened(*args: object) -> object:
        facts = whole(*args)  # type: ignore[arg-type]
        args[2].pop("0.0.biases.1")  # type: ignore[attr-defined]
        facts["facts"]["biases"] = {"arrays": 1}
        return facts

    monkeypatch.setattr(store, "_step_facts", shortened)
    path = eraser.save(tmp_path / "e.safetensors")
    with pytest.raises(DamagedFileError, match="fit together"):
        Eraser.load(path)
