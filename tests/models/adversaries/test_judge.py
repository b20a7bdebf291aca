"""Fresh adversaries judged on held-out examples: they find what is there and nothing else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from experiments.constructed_groups import Biased  # noqa: E402
from unslant.models.adversaries import leakage_probe  # noqa: E402
from unslant.models.adversaries.leakage_probe import (  # noqa: E402
    Judgement,
    judged,
)
from unslant.models.adversaries.network import adversary  # noqa: E402
from unslant.models.adversaries.network import answers as seen_answers  # noqa: E402
from unslant.models.adversaries.settings import AdversarySettings  # noqa: E402

HOW = AdversarySettings(attributes=("colour",), width=16, dropout=0.0)


class Told(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Predictions that shift with the second feature by ``by``."""

    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def forward(self, x: Any) -> Any:
        odds = x[:, 0] + self.by * x[:, 1]
        return torch.stack([-odds, odds], 1)


@pytest.fixture(scope="module")
def task() -> Biased:
    return Biased(4_096)


@pytest.mark.parametrize("network", ["dense", "small"])
@pytest.mark.parametrize("by", [0.0, 1.0])
def test_predictions_that_shift_with_the_group_are_found_and_others_are_not(
    task: Biased, by: float, network: str
) -> None:
    found = judged(task, Told(by), replace(HOW, network=network))["colour"]
    assert found.is_above_chance is (by > 0)
    assert found.examples > 3_500  # a tenth has no group
    # The label alone tells the group of four in five, which is no news about predictions.
    assert found.majority_share == pytest.approx(0.8, abs=0.02)
    assert found.chance == 0.5


def test_the_judge_is_right_as_often_as_the_optimum() -> None:
    # Given the label, the log-odds of the groups are 2 apart with a spread of 1: Φ(1) = .841, but
    # for the second feature's own noise of .2.
    task = Biased(8_192)
    found = judged(task, Told(1.0), replace(HOW, reads="log-probabilities"))["colour"]
    assert found.interval is not None
    assert found.accuracy == pytest.approx(0.837, abs=0.015)


def test_the_same_seed_gives_the_same_judgement_and_leaves_the_network_alone(task: Biased) -> None:
    network = Told(0.3)
    network.train()
    torch.manual_seed(1)
    one = judged(task, network, HOW)
    torch.manual_seed(2)
    assert judged(task, network, HOW) == one
    assert network.training


def test_clusters_widen_the_interval(task: Biased) -> None:
    class ByName(Biased):
        """Every 32 examples in a row, sorted by feature and group, belong to one name."""

        def outputs(self, network: Any, batch: Any) -> Any:
            found = super().outputs(network, batch)
            order = torch.argsort(batch[0][:, 0] + 10 * found.protected["colour"])
            clusters = torch.empty_like(order)
            clusters[order] = torch.arange(len(order)) // 32
            return replace(found, clusters=clusters)

    alone, by_name = (judged(each, Told(0.5), HOW)["colour"] for each in (task, ByName(4_096)))
    assert alone.interval is not None
    assert by_name.interval is not None
    assert by_name.clusters < 200
    wide, narrow = (ends[1] - ends[0] for ends in (by_name.interval, alone.interval))
    assert wide > 1.5 * narrow


def test_too_few_examples_are_not_judged() -> None:
    task = Biased(64)
    *rest, groups, clusters = task.dev
    task.dev = (*rest, torch.where(torch.arange(64) < 10, groups, -1), clusters)
    found = judged(task, Told(1.0), HOW)["colour"]
    assert found.accuracy is None
    assert found.is_above_chance is None
    assert "not judged, because too few examples have a group" in found.verdict


def test_verdicts_say_on_which_side_of_chance_an_interval_is() -> None:
    def verdict(accuracy: float, interval: tuple[float, float] | None) -> str:
        return Judgement(
            attribute="gender",
            groups=("female", "male"),
            fairness="odds",
            examples=100,
            clusters=2,
            trained_on=100,
            left_out=0,
            accuracy=accuracy,
            interval=interval,
        ).verdict

    assert verdict(0.51, (0.48, 0.54)) == (
        "gender from predictions and labels: not above chance, accuracy 0.510 (0.480 to 0.540), "
        "chance 0.500."
    )
    assert "labels: above chance" in verdict(0.6, (0.55, 0.65))
    assert "below chance" in verdict(0.4, (0.35, 0.45))
    assert "too few names or sentences (2)" in verdict(0.4, None)


def test_cross_entropy_has_its_optimum_at_the_frequencies_and_reversed_it_has_not() -> None:
    # Cross-entropy is KL(truth ‖ guess): its optimum is the frequency of each group. The reversed
    # KL(guess ‖ truth), here with truth smoothed to .01 and .99, has another one.
    groups = torch.tensor([0] * 70 + [1] * 30)
    smooth = torch.nn.functional.one_hot(groups, 2) * 0.98 + 0.01

    def forward(said: Any) -> Any:
        return torch.nn.functional.cross_entropy(said.expand(100, 2), groups)

    def reversed_divergence(said: Any) -> Any:
        guess = torch.softmax(said, 0)
        return (guess * (guess.log() - smooth.log())).sum(1).mean()

    found = []
    for loss in (forward, reversed_divergence):
        said = torch.zeros(2, requires_grad=True)
        optimiser = torch.optim.Adam([said], lr=0.05)
        for _ in range(400):
            optimiser.zero_grad()
            loss(said).backward()
            optimiser.step()
        found.append(float(torch.softmax(said.detach(), 0)[0]))
    assert found[0] == pytest.approx(0.7, abs=0.01)
    assert found[1] > 0.8


@pytest.mark.parametrize("network", ["dense", "small"])
def test_adversaries_for_parity_do_not_see_the_label(network: str) -> None:
    torch.manual_seed(0)
    logits = torch.randn(6, 3)
    labels = [torch.zeros(6, dtype=torch.int64), torch.full((6,), 2)]
    for fairness in ("parity", "odds"):
        how = AdversarySettings(attributes=("a",), network=network, fairness=fairness)
        opponent = adversary(3, 2, how).eval()
        same = torch.equal(*(opponent(logits, each) for each in labels))
        assert same is (fairness == "parity")


def test_the_small_adversary_is_that_of_the_paper_for_two_classes() -> None:
    # s = σ((1 + |c|) σ⁻¹(ŷ)), and ẑ is linear in s, s y and s (1 − y), and in y itself.
    how = AdversarySettings(attributes=("a",), network="small")
    opponent: Any = adversary(2, 2, how)
    logits, labels = torch.randn(5, 2), torch.tensor([0, 1, 1, 0, 1])
    y_hat = torch.softmax(logits, 1)[:, 1]
    s = torch.sigmoid((1 + 0.1) * torch.logit(y_hat))
    w, b = opponent.layer.weight.detach(), opponent.layer.bias.detach()
    y = labels.float()
    columns = [1 - s, s, (1 - s) * (1 - y), (1 - s) * y, s * (1 - y), s * y]
    expected = torch.stack(columns, 1) @ w.T + b
    torch.testing.assert_close(opponent(logits, labels).detach(), expected)
    opponent(logits, labels).sum().backward()
    assert np.isfinite(float(opponent.sharper.grad))


def test_predictions_are_read_and_judged_without_dropout(
    task: Biased, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[bool] = []

    class Noted(Told):
        def forward(self, x: Any) -> Any:
            modes.append(self.training)
            return super().forward(x)

    def answers(opponent: Any, seen: Any) -> Any:
        if not torch.is_grad_enabled():  # it learns with dropout, as it should
            modes.append(opponent.training)
        return seen_answers(opponent, seen)

    monkeypatch.setattr(leakage_probe, "answers", answers)
    network = Noted(1.0)
    network.train()
    judged(task, network, replace(HOW, dropout=0.5))
    assert len(modes) > 2
    assert not any(modes)
