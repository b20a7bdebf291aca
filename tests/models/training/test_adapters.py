"""What is tuned: adapters that begin as nothing and end in the weights, blocks, or all."""

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.training.adapters import (  # noqa: E402
    adapt,
    free,
    merge,
)
from unslant.models.training.schedule import Tuned  # noqa: E402


def blocks() -> list[Any]:
    torch.manual_seed(0)
    return [
        torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.LayerNorm(5), torch.nn.Linear(5, 6))
        for _ in range(3)
    ]


def trained(network: Any) -> set[str]:
    return {name for name, value in network.named_parameters() if value.requires_grad}


def test_an_adapted_network_begins_as_it_was_and_keeps_its_results_when_merged() -> None:
    network = torch.nn.Sequential(*blocks())
    x = torch.randn(4, 6)
    before = network(x)
    plain = {name: value.clone() for name, value in network.named_parameters()}
    adapt(network, 2)
    torch.testing.assert_close(network(x), before, rtol=0, atol=0)
    for name, value in network.named_parameters():
        if name.endswith("widen"):
            value.data.normal_()
    adapted = network(x)
    assert (adapted - before).abs().max() > 0.1
    merge(network)
    torch.testing.assert_close(network(x), adapted, rtol=0, atol=1e-5)
    after = dict(network.named_parameters())
    assert set(after) == set(plain)  # nothing of the adapters is left
    change = after["0.0.weight"] - plain["0.0.weight"]
    assert torch.linalg.matrix_rank(change, atol=1e-5) == 2


def test_training_changes_adapters_and_leaves_the_products_alone() -> None:
    parts = blocks()
    network = torch.nn.Sequential(*parts)
    free(network, parts, Tuned.of("adapters:2"))
    before = {name: value.clone() for name, value in network.named_parameters()}
    optimiser = torch.optim.SGD([v for v in network.parameters() if v.requires_grad], lr=0.1)
    for _ in range(3):
        optimiser.zero_grad()
        network(torch.randn(4, 6)).square().sum().backward()
        optimiser.step()
    changed = {n for n, v in network.named_parameters() if not torch.equal(v, before[n])}
    assert changed == {n for n in before if "narrow" in n or "widen" in n or ".1." in n}


@pytest.mark.parametrize(
    ("text", "is_trained"),
    [
        ("none", lambda name: False),
        ("all", lambda name: True),
        ("last:1", lambda name: name.startswith("2.")),
        ("last:2", lambda name: not name.startswith("0.")),
    ],
)
def test_what_is_tuned_is_free_and_the_rest_is_frozen(
    text: str, is_trained: Callable[[str], bool]
) -> None:
    parts = blocks()
    network = torch.nn.Sequential(*parts)
    free(network, parts, Tuned.of(text))
    assert trained(network) == {n for n, _ in network.named_parameters() if is_trained(n)}


@pytest.mark.parametrize(
    "text", ["", "last", "last:0", "adapters", "adapters:9999", "all:2", "first:2", "last:-1"]
)
def test_what_cannot_be_tuned_is_refused(text: str) -> None:
    with pytest.raises(UnslantError, match=r"tuned must be|from 1 to 1,024"):
        Tuned.of(text)


def test_more_blocks_than_there_are_cannot_be_tuned() -> None:
    parts = blocks()
    with pytest.raises(UnslantError, match="The model has 3 blocks, so the last 4 cannot be tuned"):
        free(torch.nn.Sequential(*parts), parts, Tuned.of("last:4"))
    with pytest.raises(UnslantError, match="no products"):
        adapt(torch.nn.LayerNorm(3), 2)
