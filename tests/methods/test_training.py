"""What methods that train with torch share."""

import sys

import numpy as np
import pytest

from tests.spaces import small_concept
from tests.wide import wide_space
from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for, torch_threads
from unslant.methods.lazy_torch import batches, dropout, free
from unslant.methods.pipeline import fit


@pytest.mark.parametrize("name", ["gp", "debiasnet"])
def test_without_torch_a_method_says_how_to_get_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnslantError, match=rf'{name} needs torch; .* pip install "unslant\[lm\]"'):
        fit(name, wide_space(seed=1), small_concept())


def test_batches_go_through_every_number_once() -> None:
    parts = list(batches(np.random.default_rng(0), 10, 4))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert sorted(np.concatenate(parts).tolist()) == list(range(10))


@pytest.fixture
def torch() -> object:
    return pytest.importorskip("torch", reason="torch is not installed")


def test_dropout_keeps_the_mean_and_drops_the_share(torch: object) -> None:
    ones = free(torch, np.ones((300, 300)))
    after = dropout(torch, np.random.default_rng(0), 0.2)(ones).detach().numpy()
    assert sorted(np.unique(after).tolist()) == pytest.approx([0, 1.25])
    assert (after == 0).mean() == pytest.approx(0.2, abs=0.01)
    assert dropout(torch, np.random.default_rng(0), 0.0)(ones) is ones


def test_the_callers_threads_and_random_numbers_are_left_alone() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.set_num_threads(2)
    torch.manual_seed(5)
    state = torch.get_rng_state().clone()
    with torch_threads(torch_for("gp")):
        assert torch.get_num_threads() == 1
    for method in ("gp(epochs=1, joint_epochs=1)", "debiasnet(steps=2)"):
        fit(method, wide_space(seed=1), small_concept())
    assert torch.get_num_threads() == 2
    assert torch.equal(torch.get_rng_state(), state)
