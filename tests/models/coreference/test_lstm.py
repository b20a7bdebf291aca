"""The BiLSTM against torch's own: the same states and the same gradients."""

from typing import Any

import numpy as np
import pytest

from unslant.models.coreference.layout import Read, layout

torch = pytest.importorskip("torch", reason="the network needs torch")

WIDE, HIDDEN = 4, 3
LENGTHS = [3, 1, 5, 2, 5]


def ways_of(lengths: list[int]) -> Any:
    from unslant.models.coreference.lstm import Ways

    words = np.arange(sum(lengths))
    laid = layout([Read(words, np.zeros_like(words), np.array(lengths))])
    ways: list[Any] = [torch.from_numpy(order) for order in laid.ways]
    return Ways(ways[0], ways[1], ways[2], ways[3], laid.sizes.tolist())


def both() -> tuple[Any, Any]:
    from unslant.models.coreference.lstm import PackedBiLstm

    torch.manual_seed(0)
    ours = PackedBiLstm(WIDE, HIDDEN).double()
    theirs = torch.nn.LSTM(WIDE, HIDDEN, bidirectional=True).double()
    with torch.no_grad():
        ours.bias.normal_()
        for way, end in enumerate(("", "_reverse")):
            getattr(theirs, f"weight_ih_l0{end}").copy_(ours.input[way].T)
            getattr(theirs, f"weight_hh_l0{end}").copy_(ours.recurrent[way].T)
            getattr(theirs, f"bias_ih_l0{end}").copy_(ours.bias[way])
            getattr(theirs, f"bias_hh_l0{end}").zero_()
    return ours, theirs


def test_states_and_gradients_are_those_of_torch() -> None:
    ours, theirs = both()
    rows = torch.randn(sum(LENGTHS), WIDE, dtype=torch.float64)
    wanted = torch.randn(sum(LENGTHS), 2 * HIDDEN, dtype=torch.float64)
    mine, other = (rows.clone().requires_grad_() for _ in range(2))
    states = ours(mine, ways_of(LENGTHS))
    states.backward(wanted)
    expected = torch.cat([theirs(part)[0] for part in other.split(LENGTHS)])
    expected.backward(wanted)
    assert torch.allclose(states, expected, atol=1e-12)
    assert torch.allclose(mine.grad, other.grad, atol=1e-12)
    for way, end in enumerate(("", "_reverse")):
        for own, name in (("input", "weight_ih"), ("recurrent", "weight_hh"), ("bias", "bias_ih")):
            found = getattr(ours, own).grad[way]
            expected = getattr(theirs, f"{name}_l0{end}").grad.permute(*range(found.ndim)[::-1])
            assert torch.allclose(found, expected, atol=1e-12), name


def test_gradients_are_those_of_finite_differences() -> None:
    ours, _ = both()
    rows = torch.randn(6, WIDE, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda given: ours(given, ways_of([4, 2])), (rows,))


def test_a_single_word_has_no_state_before_it() -> None:
    ours, theirs = both()
    rows = torch.randn(1, WIDE, dtype=torch.float64)
    assert torch.allclose(ours(rows, ways_of([1])), theirs(rows)[0], atol=1e-12)
