"""An eraser in effect while a model trains: fitted in time, acting in the loss and at the end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.debias_training.setups import FAST, fact, setup, written_text  # noqa: E402
from unslant.models.debias_training.language_task import (  # noqa: E402
    ErasedTask,
    LanguageTask,
)
from unslant.models.debias_training.leace_in_training import LeaceInTraining  # noqa: E402
from unslant.models.debias_training.training import tuned  # noqa: E402
from unslant.models.language.interventions import Intervention, base_of  # noqa: E402
from unslant.models.training.trainer import train  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("erased")
    written_text(made / "text.txt")
    return made


def task_of(folder: Path, **given: Any) -> ErasedTask:
    how = LeaceInTraining(text=str(folder / "text.txt"), **{**FAST, **given})
    made = how.task(setup(folder, place="layer:-1"))
    assert isinstance(made, ErasedTask)
    return made


def test_the_eraser_is_fitted_at_the_beginning_of_a_round_and_every_n_steps(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(folder, rounds=2, steps=7, every=3)
    events: list[str] = []
    fitted, loss = task.fitted, LanguageTask.loss

    def counted(network: Any) -> Intervention:
        events.append("judging" if not torch.is_grad_enabled() else "fit")
        return fitted(network)

    monkeypatch.setattr(task, "fitted", counted)
    step = ErasedTask.loss

    def stepped(self: ErasedTask, network: Any, batch: Any) -> Any:
        found = step(self, network, batch)
        events.append("step")
        return found

    monkeypatch.setattr(ErasedTask, "loss", stepped)
    assert loss is LanguageTask.loss
    train(task, task.how.schedule())
    one_round = ["fit", *["step"] * 3, "fit", *["step"] * 3, "fit", "step", "judging"]
    assert events == 2 * one_round


def test_the_loss_reads_erased_states_and_gradients_pass_through(folder: Path) -> None:
    task = task_of(folder)
    network = task.build_network().eval()
    _, batch = next(iter(task.batches(1, 0)))
    loss = task.loss(network, batch)
    loss.backward()
    plain = LanguageTask.loss(task, network, batch)
    assert float(loss.detach()) != float(plain.detach())
    # By hand: the last layer's states through the eraser, then the head.
    assert task._fitted is not None
    [step] = task._fitted[1].steps
    assert step.eraser.affine is not None
    matrix, offset = step.eraser.affine
    with torch.no_grad():
        states = base_of(network)(
            input_ids=torch.from_numpy(batch.shown.ids),
            attention_mask=torch.from_numpy(batch.shown.is_piece.astype("int64")),
        ).last_hidden_state[torch.from_numpy(batch.at[0]), torch.from_numpy(batch.at[1])]
        erased = states.double().numpy() @ matrix + offset
        logits = network.cls(torch.from_numpy(erased).float()[None])[0]
        expected = torch.nn.functional.cross_entropy(logits, torch.from_numpy(batch.answers))
    assert float(loss.detach()) == pytest.approx(float(expected), rel=1e-5)
    assert all(value.grad is not None for value in network.bert.encoder.parameters())


def test_no_gradient_of_the_last_states_goes_along_what_is_erased(folder: Path) -> None:
    task = task_of(folder)
    network = task.build_network().eval()
    _, batch = next(iter(task.batches(1, 0)))
    seen: list[Any] = []

    def keep(_: Any, args: Any, given: Any) -> None:
        state = given[0] if isinstance(given, tuple) else given
        state.retain_grad()
        seen.append(state)

    last = network.bert.encoder.layer[-1]
    eraser = task.fitted(network)
    handle = last.register_forward_hook(keep)
    with eraser.on(task.on.model, network):
        LanguageTask.loss(task, network, batch).backward()
    handle.remove()
    [step] = eraser.steps
    assert step.eraser.affine is not None
    matrix, _ = step.eraser.affine
    gradient = seen[0].grad.double().numpy().reshape(-1, len(matrix))
    # x M has no gradient along directions w with w M = 0.
    null = np.linalg.svd(matrix.T)[2][-1]
    assert np.abs(null @ matrix).max() < 1e-9
    assert np.abs(gradient @ null).max() < 1e-5 * np.abs(gradient).max()


def test_the_trained_model_ends_with_the_eraser_of_its_own_weights(folder: Path) -> None:
    how = LeaceInTraining(text=str(folder / "text.txt"), **FAST)
    on = setup(folder, place="layer:-1")
    model, [stage] = tuned(how, on)
    [step] = model.intervention.steps
    assert str(step.place) == "layer:-1"
    assert on.fit is not None
    plain = model.original
    assert plain.weights_sha256 != on.model.weights_sha256
    [again] = on.fit("leace@layer:-1", plain).steps
    assert again.eraser.affine is not None
    assert step.eraser.affine is not None
    np.testing.assert_allclose(again.eraser.affine[0], step.eraser.affine[0], atol=1e-10)
    term = "held-out language-model loss with the eraser"
    assert fact(stage, f"{term} after") < fact(stage, f"{term} before")


def test_its_control_removes_a_random_direction_in_the_same_training(folder: Path) -> None:
    how = LeaceInTraining(text=str(folder / "text.txt"), **FAST)
    on = setup(folder, place="layer:-1")
    assert how.control(4).final(on) == "random(seed=4)@layer:-1"
    assert how.control(4).control(4).final(on) == "random(seed=5)@layer:-1"
