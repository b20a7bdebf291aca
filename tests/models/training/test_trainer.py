"""The trainer: its steps, its stopping, and going on after a stop, on a very small task."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from unslant.core.errors import UnslantError  # noqa: E402
from unslant.core.seeds import generator  # noqa: E402
from unslant.models.training.checkpoint import Checkpoint  # noqa: E402
from unslant.models.training.schedule import Schedule  # noqa: E402
from unslant.models.training.trainer import TrainingOutcome, TrainingTask, train  # noqa: E402

HOW = Schedule(rounds=5, patience=5, learning_rate=0.05, warm_up=3, weight_decay=0.01, clip=0.5)
TRUTH = torch.tensor([[1.0, -2.0, 0.5]])


class Line(TrainingTask[Any]):
    """A linear map learnt from noisy examples; ``goals`` replaces what the held-out data say."""

    name = "line"
    objective = "score"

    def __init__(self, goals: list[float] | None = None) -> None:
        self.goals, self.asked = goals, 0

    def build_network(self) -> Any:
        network = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Linear(1, 1))
        network[1].requires_grad_(False)
        network[1].weight.fill_(1.0)
        network[1].bias.fill_(0.0)
        return network

    @property
    def steps_in_round(self) -> int:
        return 4

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
        rng = generator(seed, "line", f"order {number}")
        for _ in range(self.steps_in_round):
            x = torch.from_numpy(rng.normal(size=(8, 3)).astype(np.float32))
            yield 8, (x, x @ TRUTH.T + 0.1 * torch.randn(8, 1))  # noise of torch's own

    def loss(self, network: Any, batch: Any) -> Any:
        return ((network(batch[0]) - batch[1]) ** 2).mean()

    def evaluate_dev(self, network: Any) -> dict[str, float]:
        assert not network.training
        self.asked += 1
        if self.goals is not None:
            return {"score": self.goals[self.asked - 1]}
        return {"score": -float((network[0].weight - TRUTH).abs().sum())}

    def evaluate_test(self, network: Any) -> dict[str, float]:
        return {"bias": float(network[0].bias)}


class Stopped(BaseException):
    pass


def stop_after(steps: int) -> Any:
    seen = []

    def progress(what: str, done: int, total: int) -> None:
        seen.append(what)
        if len(seen) == steps:
            raise Stopped

    return progress


def same_bits(one: TrainingOutcome, two: TrainingOutcome) -> bool:
    same = all((one.weights[name] == two.weights[name]).all() for name in two.weights)
    return same and one.best == two.best and one.tested == two.tested


def test_each_step_is_that_of_a_plain_loop() -> None:
    found = train(Line(), HOW)
    torch.manual_seed(int(generator(0, "line", "weights").integers(2**62)))
    task = Line()
    with torch.no_grad():
        network = task.build_network()
    own = list(network[0].parameters())
    optimiser = torch.optim.AdamW(own, lr=1.0, weight_decay=0.01)
    step = 0
    for number in range(1, 6):
        torch.manual_seed(int(generator(0, "line", f"epoch {number}").integers(2**62)))
        for _, batch in task.batches(number, 0):
            step += 1
            rate = 0.05 * (step / 3 if step <= 3 else 1)
            optimiser.param_groups[0]["lr"] = min(rate, 0.05 * (1 - (step - 1) / 20))
            optimiser.zero_grad()
            task.loss(network, batch).backward()
            torch.nn.utils.clip_grad_norm_(own, 0.5)
            optimiser.step()
    assert found.best == 5
    np.testing.assert_array_equal(found.weights["0.weight"], own[0].detach().numpy())
    assert set(found.weights) == {"0.weight", "0.bias"}  # the frozen part is not among them


@pytest.mark.parametrize("moments", [(1,), (4,), (5, 4), (3, 9, 1, 6), (19,)])
def test_a_training_that_was_stopped_ends_in_the_same_bits(
    moments: tuple[int, ...], tmp_path: Path
) -> None:
    whole = train(Line(), HOW)
    for steps in moments:
        with pytest.raises(Stopped):
            train(Line(), HOW, store=Checkpoint(tmp_path / "kept", "a"), progress=stop_after(steps))
        torch.manual_seed(steps)
    assert same_bits(train(Line(), HOW, store=Checkpoint(tmp_path / "kept", "a")), whole)


def test_the_weights_of_the_best_round_count_and_patience_ends_the_training() -> None:
    how = Schedule(rounds=9, patience=2, learning_rate=0.05, warm_up=1)
    found = train(Line(goals=[0.1, 0.5, 0.3, 0.5, 0.9]), how)
    assert (found.best, len(found.rounds)) == (2, 4)  # equal is not better
    shorter = train(Line(goals=[0.1, 0.5, 0.0, 0.0]), how)
    np.testing.assert_array_equal(found.weights["0.weight"], shorter.weights["0.weight"])
    np.testing.assert_array_equal(
        found.network[0].weight.detach().numpy(), found.weights["0.weight"]
    )


def test_the_callers_random_numbers_and_threads_stay() -> None:
    torch.manual_seed(7)
    expected = torch.rand(1)
    before = torch.get_num_threads()
    torch.manual_seed(7)
    train(Line(), HOW)
    assert torch.rand(1) == expected
    assert torch.get_num_threads() == before


def test_another_seed_gives_other_weights() -> None:
    one, two = (
        train(Line(), Schedule(rounds=1, patience=1, learning_rate=0.05, seed=seed))
        for seed in (0, 1)
    )
    assert (one.weights["0.weight"] != two.weights["0.weight"]).any()


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"rounds": 0}, "rounds must be at least 1, not 0"),
        ({"patience": 0}, "patience must be at least 1"),
        ({"learning_rate": 0.0}, "learning rate must be above 0 and below 1"),
        ({"learning_rate": float("nan")}, "learning rate must be above 0"),
        ({"clip": -1.0}, "clip must be at least 0"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"threads": 10_000}, "threads must be at most"),
        ({"seed": -1}, "seed"),
    ],
)
def test_choices_that_cannot_be_are_refused(choice: dict[str, Any], said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        Schedule(**{"rounds": 1, "patience": 1, "learning_rate": 0.1, **choice})
