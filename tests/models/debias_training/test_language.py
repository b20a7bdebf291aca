"""Continued training: its loss is that of transformers, dropout and the swap are what they say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.models.debias_training.setups import FAST, setup, written_text  # noqa: E402
from unslant.concepts import concept  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.debias_training.language import Cda, Dropout, TrainingControl  # noqa: E402
from unslant.models.debias_training.language_task import LanguageTask  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("language")
    written_text(made / "text.txt")
    return made


def task_of(kind: type[Any], folder: Path, model: str = "bert", **given: Any) -> LanguageTask:
    how = kind(text=str(folder / "text.txt"), **{**FAST, **given})
    made = how.task(setup(folder, model))
    assert isinstance(made, LanguageTask)
    return made


def plain_loss(folder: Path, model: str, batch: Any) -> float:
    """The loss that transformers computes for the same labels."""
    is_causal = model in ("gpt2", "llama")
    auto = transformers.AutoModelForCausalLM if is_causal else transformers.AutoModelForMaskedLM
    network = auto.from_pretrained(folder / model).eval()
    labels = np.full(batch.shown.ids.shape, -100)
    if is_causal:  # transformers shifts them itself
        labels = np.where(batch.shown.is_piece, batch.shown.ids, -100)
    else:
        labels[batch.at] = batch.answers
    with torch.inference_mode():
        found = network(
            input_ids=torch.from_numpy(batch.shown.ids),
            attention_mask=torch.from_numpy(batch.shown.is_piece.astype("int64")),
            labels=torch.from_numpy(labels),
        )
    return float(found.loss)


@pytest.mark.parametrize("model", ["bert", "roberta", "distilbert", "modernbert", "gpt2", "llama"])
def test_the_loss_is_the_one_that_transformers_computes(folder: Path, model: str) -> None:
    task = task_of(TrainingControl, folder, model)
    network = task.build_network().eval()
    _, batch = next(iter(task.batches(1, 0)))
    with torch.no_grad():
        assert float(task.loss(network, batch)) == pytest.approx(
            plain_loss(folder, model, batch), rel=1e-5
        )
    gap = task.marks.gap
    if gap >= 0:
        share = len(batch.answers) / batch.shown.is_piece.sum()
        assert 0.05 < share < 0.3
        assert (batch.shown.ids[batch.at] == gap).mean() > 0.5
        is_frame = np.isin(batch.answers, [1, 2])
        assert not is_frame.any()  # [CLS] and [SEP] are not asked for


def test_dropout_is_raised_for_training_only(folder: Path) -> None:
    task = task_of(Dropout, folder, hidden=0.3, attention=0.15)
    rates = {p.p for p in task.build_network().modules() if isinstance(p, torch.nn.Dropout)}
    assert rates == {0.3, 0.15}
    plain = task_of(TrainingControl, folder)
    rates = {p.p for p in plain.build_network().modules() if isinstance(p, torch.nn.Dropout)}
    assert rates == {0.1}  # the model's own


def test_a_model_without_dropout_between_layers_is_refused(folder: Path) -> None:
    with pytest.raises(UnslantError, match="is a llama, which has no dropout"):
        task_of(Dropout, folder, "llama").build_network()


def test_cda_trains_on_every_sentence_and_its_twin_and_holds_out_neither(tmp_path: Path) -> None:
    made = setup(tmp_path)
    lines = [f"he is an engineer {'and ' * (n % 5)}there ." for n in range(300)]
    (tmp_path / "he.txt").write_text("\n".join(lines))
    on = replace(made, concept=concept("gender"))
    how = Cda(text=str(tmp_path / "he.txt"), **FAST)
    task = how.task(on)
    assert isinstance(task, LanguageTask)
    known = on.model.tokens.vocabulary
    text = [set(task.text.sentence(n).tolist()) for n in range(len(task.text))]
    she, he = (sum(known[word] in ids for ids in text) for word in ("she", "he"))
    assert she == he == 270
    dev = [set(task.dev.sentence(n).tolist()) for n in range(len(task.dev))]
    assert all(known["he"] in ids for ids in dev)
    assert len(dev) == 30
    control = how.control(5)
    assert isinstance(control, TrainingControl)
    assert (control.text, control.seed, control.steps) == (how.text, 5, how.steps)


def test_the_last_sentences_are_held_out_and_asked_the_same_each_time(folder: Path) -> None:
    task = task_of(TrainingControl, folder)
    assert len(task.dev) == 60
    network = task.build_network().eval()
    with torch.inference_mode():
        first, second = task.evaluate_dev(network), task.evaluate_dev(network)
    assert first == second
    assert first["score"] == -first["language_loss"]
