"""Networks trained beside a task's own: their own rate, in checkpoints, not in the outcome."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from unslant.core.errors import UnslantError  # noqa: E402
from unslant.core.seeds import generator  # noqa: E402
from unslant.models.training.checkpoint import Checkpoint  # noqa: E402
from unslant.models.training.schedule import Schedule  # noqa: E402
from unslant.models.training.trainer import Companion, TrainingTask, train  # noqa: E402

HOW = Schedule(rounds=4, patience=4, learning_rate=0.01, warm_up=2, clip=0.5)


class Pair(TrainingTask[Any]):
    """A line, and beside it a line that learns its answers, but only from every other batch."""

    name = "pair"
    objective = "score"

    def __init__(self, rate: float = 0.05) -> None:
        self.rate = rate

    def build_network(self) -> Any:
        return torch.nn.Linear(3, 1)

    def companions(self) -> Mapping[str, Companion]:
        self.beside = torch.nn.Linear(1, 1)
        return {"shadow": Companion(self.beside, self.rate)}

    @property
    def steps_in_round(self) -> int:
        return 5

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
        rng = generator(seed, "pair", f"order {number}")
        for _ in range(self.steps_in_round):
            yield 8, torch.from_numpy(rng.normal(size=(8, 3)).astype(np.float32))

    def loss(self, network: Any, batch: Any) -> Any:
        return (network(batch) - batch.sum(1, keepdim=True)).square().mean()

    def backward(self, network: Any, batch: Any, step: int, steps: int) -> Any:
        loss = super().backward(network, batch, step, steps)
        if step % 2:
            (self.beside(network(batch).detach()) - 3).square().mean().backward()
        return loss

    def evaluate_dev(self, network: Any) -> dict[str, float]:
        return {"score": 0.0, "shadow": float(self.beside.bias)}


class Alone(Pair):
    def companions(self) -> Mapping[str, Companion]:
        return {}

    def backward(self, network: Any, batch: Any, step: int, steps: int) -> Any:
        return TrainingTask.backward(self, network, batch, step, steps)

    def evaluate_dev(self, network: Any) -> dict[str, float]:
        return {"score": 0.0}


def test_a_companion_learns_and_the_network_learns_as_if_it_were_alone() -> None:
    found, alone = train(Pair(), HOW), train(Alone(), HOW)
    assert set(found.weights) == {"weight", "bias"}
    for name, value in alone.weights.items():
        np.testing.assert_array_equal(found.weights[name], value)
    shadow = [each["shadow"] for each in found.rounds]
    assert shadow == sorted(shadow)
    assert shadow[-1] - shadow[0] > 0.05


def test_a_companion_has_a_rate_of_its_own() -> None:
    slow, fast = (train(Pair(rate), HOW).rounds[0]["shadow"] for rate in (1e-4, 0.05))
    begins = float(_fresh().bias.detach())
    assert abs(slow - begins) < 1e-3 < 0.02 < abs(fast - begins)


def _fresh() -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(generator(0, "pair", "weights").integers(2**62)))
        task = Pair()
        task.build_network()
        return task.companions()["shadow"].network


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_stopped_training_goes_on_with_the_same_companion(rounds: int, tmp_path: Path) -> None:
    whole = train(Pair(), HOW)

    class Stopped(BaseException):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith(f"Round {rounds + 1} ") and done == 3:
            raise Stopped

    with pytest.raises(Stopped):
        train(Pair(), HOW, store=Checkpoint(tmp_path / "kept", "a"), progress=stop)
    again = train(Pair(), HOW, store=Checkpoint(tmp_path / "kept", "a"))
    assert [each["shadow"] for each in again.rounds] == [each["shadow"] for each in whole.rounds]
    np.testing.assert_array_equal(again.weights["weight"], whole.weights["weight"])


def test_a_companion_that_never_had_a_gradient_is_kept_too(tmp_path: Path) -> None:
    class Idle(Pair):
        def backward(self, network: Any, batch: Any, step: int, steps: int) -> Any:
            return TrainingTask.backward(self, network, batch, step, steps)

    kept = Checkpoint(tmp_path / "kept", "a")
    whole = train(Idle(), HOW, store=kept)
    again = train(Idle(), HOW, store=kept)
    assert again.rounds == whole.rounds


def test_a_loss_that_is_not_finite_stops_the_training_with_one_sentence() -> None:
    class Broken(Alone):
        def loss(self, network: Any, batch: Any) -> Any:
            return super().loss(network, batch) * float("nan")

    with pytest.raises(UnslantError, match=r"The loss is nan at step 1 of 20, so training has"):
        train(Broken(), HOW)
