"""Training against adversaries on a biased dataset with a known fair optimum.

The settings were chosen on this draw of the data (docs/adversaries.md says from how many), so these
tests show that the game can be won, not how often it is.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from experiments.constructed_groups import FAIR, PLAIN, Biased  # noqa: E402
from unslant.core.errors import UnknownNameError, UnslantError  # noqa: E402
from unslant.models.adversaries.leakage_probe import judged  # noqa: E402
from unslant.models.adversaries.settings import AdversarySettings  # noqa: E402
from unslant.models.adversaries.task import AdversarialTask  # noqa: E402
from unslant.models.adversaries.training import Opposition, train_against  # noqa: E402
from unslant.models.training.checkpoint import Checkpoint  # noqa: E402
from unslant.models.training.schedule import Schedule  # noqa: E402
from unslant.models.training.trainer import TrainingOutcome, train  # noqa: E402

HOW = Schedule(rounds=20, patience=20, learning_rate=0.003, warm_up=10)
AGAINST = AdversarySettings(
    attributes=("colour",), alpha="10", width=32, dropout=0.0, learning_rate=0.03
)
WATCH = replace(AGAINST, alpha="0", projection="none")
SHORT = replace(HOW, rounds=3, patience=3)


@pytest.fixture(scope="module")
def task() -> Biased:
    return Biased()


@pytest.fixture(scope="module")
def plain(task: Biased) -> TrainingOutcome:
    return train(task, HOW)


@pytest.fixture(scope="module")
def fair(task: Biased) -> tuple[TrainingOutcome, Opposition]:
    outcome, found = train_against(task, HOW, AGAINST)
    assert found is not None
    return outcome, found


def shift(network: Any, x: Any) -> float:
    """How far the log-odds of an example move if it were of the other group."""
    other = x * torch.tensor([1.0, -1.0])
    with torch.no_grad():
        odds = [(network(each)[:, 1] - network(each)[:, 0]) for each in (x, other)]
        return float((odds[0] - odds[1]).abs().mean() / odds[0].std())


def test_plain_training_reveals_the_group_and_adversaries_stop_that(
    task: Biased, plain: TrainingOutcome, fair: tuple[TrainingOutcome, Opposition]
) -> None:
    outcome, found = fair
    judgement, before = found.judgements["colour"], judged(task, plain.network, AGAINST)["colour"]
    assert before.interval is not None
    assert before.interval[0] > 0.6
    assert "above chance" in before.verdict
    assert judgement.is_above_chance is False
    assert "not above chance" in judgement.verdict
    # Both come near to what their optimum gives, which is 1.7 points apart.
    accuracy, accuracy_plain = outcome.rounds[-1]["accuracy"], plain.rounds[-1]["accuracy"]
    assert accuracy_plain == pytest.approx(PLAIN, abs=0.01)
    assert accuracy > FAIR - 0.01
    assert accuracy_plain - accuracy < 0.03
    # The known fair optimum does not use the second feature.
    assert shift(outcome.network, task.dev[0]) < 0.3 * shift(plain.network, task.dev[0])
    assert found.warnings == ()


def test_parity_and_equality_of_odds_ask_for_different_predictors(
    task: Biased, fair: tuple[TrainingOutcome, Opposition]
) -> None:
    by_odds, _ = fair
    parity = replace(AGAINST, fairness="parity", network="small")
    by_parity, found = train_against(task, HOW, parity)
    assert found is not None
    # The label says something of the group, so predictions that only follow the label do too.
    odds_by_parity = judged(task, by_odds.network, parity)["colour"]
    assert odds_by_parity.interval is not None
    assert odds_by_parity.interval[0] > 0.7
    # Parity gives up accuracy for predictions that reveal less of the group without the label.
    assert found.judgements["colour"].accuracy is not None
    assert found.judgements["colour"].accuracy < odds_by_parity.interval[0] - 0.1
    assert by_parity.rounds[-1]["accuracy"] < by_odds.rounds[-1]["accuracy"] - 0.05
    # ... and it breaks equality of odds.
    assert judged(task, by_parity.network, AGAINST)["colour"].is_above_chance


def test_adversaries_that_only_watch_leave_the_training_as_it_is(
    task: Biased, plain: TrainingOutcome
) -> None:
    watched = train(AdversarialTask(task, replace(WATCH, keep="best", dropout=0.3)), HOW)
    assert watched.best == plain.best
    for name, value in plain.weights.items():
        np.testing.assert_array_equal(watched.weights[name], value)
    losses = [each["colour_adversary_loss"] for each in watched.rounds]
    assert losses[-1] < 0.95 * watched.rounds[-1]["colour_chance_loss"]  # it learnt something


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("how", [replace(AGAINST, dropout=0.2), replace(AGAINST, network="small")])
@pytest.mark.parametrize("round_number", [2, 3])
def test_a_stopped_training_ends_in_the_same_bits(
    task: Biased, how: AdversarySettings, round_number: int, tmp_path: Path
) -> None:
    def stop(what: str, done: int, total: int) -> None:
        if what.startswith(f"Round {round_number} ") and done == 5:
            raise Stopped

    whole = train(AdversarialTask(task, how), SHORT)
    store = Checkpoint(tmp_path / "kept", "a")
    with pytest.raises(Stopped):
        train(AdversarialTask(task, how), SHORT, store=store, progress=stop)
    torch.manual_seed(7)
    again = train(AdversarialTask(task, how), SHORT, store=store)
    for name, value in whole.weights.items():
        np.testing.assert_array_equal(again.weights[name], value)
    without_time = [
        [{k: v for k, v in each.items() if k != "seconds"} for each in one.rounds]
        for one in (whole, again)
    ]
    assert without_time[0] == without_time[1]


def test_adversaries_learn_on_their_own_loss_alone(task: Biased) -> None:
    opposed = AdversarialTask(task, AGAINST)
    torch.manual_seed(0)
    network = opposed.build_network()
    opponent = opposed.companions()["adversary colour"].network
    [_, batch], *_ = task.batches(1, 0)
    loss = opposed.backward(network, batch, 0, 10)
    own = [value.grad.clone() for value in opponent.parameters() if value.grad is not None]
    outputs = task.outputs(network, batch)
    groups = outputs.protected["colour"]
    known = groups >= 0
    assert int((~known).sum()) > 0  # examples without a group are not read
    said = opponent(outputs.logits[known].detach(), outputs.labels[known])
    expected = torch.autograd.grad(
        torch.nn.functional.cross_entropy(said, groups[known]), list(opponent.parameters())
    )
    for found, each in zip(own, expected, strict=True):
        torch.testing.assert_close(found, each)
    torch.testing.assert_close(loss, task.loss(network, batch))


def test_the_gradient_left_in_the_network_is_that_of_the_formula(task: Biased) -> None:
    opposed = AdversarialTask(task, replace(AGAINST, alpha="0.7"))
    torch.manual_seed(0)
    network = opposed.build_network()
    opponent = opposed.companions()["adversary colour"].network
    [_, batch], *_ = task.batches(1, 0)
    opposed.backward(network, batch, 0, 10)
    found = torch.cat([value.grad.ravel() for value in network.parameters()])
    outputs = task.outputs(network, batch)
    known = outputs.protected["colour"] >= 0
    said = opponent(outputs.logits[known], outputs.labels[known])
    against = torch.nn.functional.cross_entropy(said, outputs.protected["colour"][known])
    g, u = (
        torch.cat(
            [
                each.ravel()
                for each in torch.autograd.grad(loss, list(network.parameters()), retain_graph=True)
            ]
        )
        for loss in (task.loss_of(outputs), against)
    )
    torch.testing.assert_close(found, g - (g @ u) / (u @ u) * u - 0.7 * u)
    # With the sign of alpha reversed, a step would help the adversary.
    assert float(found @ u) == pytest.approx(-0.7 * float(u @ u), rel=1e-3)


def test_steps_without_an_example_that_has_a_group_are_counted() -> None:
    class HalfKnown(Biased):
        """The second half of the examples has no group."""

        def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
            for at in (0, 256):
                x, y, z, clusters = (each[at : at + 256] for each in self.train)
                yield 256, (x, y, z if at == 0 else torch.full_like(z, -1), clusters)

    task = HalfKnown(512)
    outcome, found = train_against(task, SHORT, AGAINST)
    assert [each["colour_steps_without_direction"] for each in outcome.rounds] == [1, 1, 1]
    assert found is not None
    assert any("no gradient of its own in 3 of 6 steps" in each for each in found.warnings)


def test_the_last_round_counts_unless_the_best_is_asked_for(task: Biased) -> None:
    last = train(AdversarialTask(task, AGAINST), replace(HOW, rounds=4, patience=1))
    assert (last.best, len(last.rounds)) == (4, 4)
    best = train(AdversarialTask(task, replace(AGAINST, keep="best")), SHORT)
    assert best.rounds[best.best - 1]["accuracy"] == max(each["accuracy"] for each in best.rounds)


def test_a_predictor_that_collapses_is_reported(task: Biased) -> None:
    class Flat(Biased):
        def loss_of(self, outputs: Any) -> Any:  # nothing to learn but to say "no"
            return (outputs.logits[:, 1] - outputs.logits[:, 0]).mean().clamp_min(-20)

    _, found = train_against(Flat(1_024), replace(HOW, rounds=15, learning_rate=0.05), WATCH)
    assert found is not None
    assert any('it predicts "no" for 100.0% of the held-out' in each for each in found.warnings)
    assert any("no better than the most frequent class" in each for each in found.warnings)


def test_unknown_attributes_and_losses_that_are_not_finite_are_refused(task: Biased) -> None:
    with pytest.raises(UnknownNameError, match='No protected attribute is called "shape"'):
        AdversarialTask(task, replace(AGAINST, attributes=("shape",)))

    class Broken(Biased):
        def outputs(self, network: Any, batch: Any) -> Any:
            return replace(super().outputs(network, batch), logits=network(batch[0]) * torch.nan)

        def loss_of(self, outputs: Any) -> Any:
            return torch.nan_to_num(outputs.logits).mean()

    with pytest.raises(UnslantError, match="loss of the colour adversary is nan at step 1, so"):
        train(AdversarialTask(Broken(512), AGAINST), SHORT)
