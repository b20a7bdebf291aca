"""Heads trained on a text, and the encoder with them as a folder that others load."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.version import __version__
from unslant.models.head_training.heads import TrainedHeads
from unslant.models.head_training.running_text import RunningText, Swap, read_text
from unslant.models.head_training.settings import HeadTraining
from unslant.models.head_training.task import HeadTask, marks_of, with_heads
from unslant.models.training.checkpoint import Checkpoint
from unslant.models.training.trainer import load_weights, train

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


def train_heads(
    model: "TransformerModel",
    text: Path,
    how: HeadTraining,
    *,
    swap: Swap | None = None,
    swap_name: str = "",
    checkpoint: Path | None = None,
    skip_bad: bool = False,
    note: str = "",
    progress: Progress | None = None,
) -> TrainedHeads:
    """Train masked-language-model and next-sentence heads for an encoder.

    With a ``swap`` every sentence is also trained on with its group words swapped: counterfactual
    data augmentation. Every finished round is kept in the ``checkpoint``; called again with the
    same inputs, training resumes from it.
    """
    # First, so that a problem with the model is reported before a long text is read.
    with torch.random.fork_rng(devices=[]):
        with_heads(model, how)

    def read(swap: Swap | None) -> RunningText:
        return read_text(
            text,
            model.tokens,
            longest=min(how.longest, (model.tokens.most - 3) // 2),
            most=how.sentences,
            skip_bad=skip_bad,
            swap=swap,
            progress=progress,
        )

    plain, also = read(None), read(swap) if swap else None
    marks = marks_of(model)
    task = HeadTask(plain, marks, how, lambda: with_heads(model, how), also)
    store = None
    if checkpoint is not None:
        store = Checkpoint(checkpoint, _identity(model, task.text, task.dev, how))
    outcome = train(task, how.schedule(), store=store, progress=progress)
    rounded = {name: value.astype(np.float16) for name, value in outcome.weights.items()}
    load_weights(
        outcome.network, {name: value.astype(np.float32) for name, value in rounded.items()}
    )
    with torch.inference_mode(), torch_threads(torch, how.threads):
        test = task.evaluate_test(outcome.network)
    record: dict[str, Any] = {
        "note": note,
        "model": model.name,
        "model_sha256": model.weights_sha256,
        "test": test,
        "best_round": outcome.best,
        "rounds": outcome.rounds,
        "seconds": outcome.seconds,
        "settings": asdict(how),
        "text": plain.record,
        "swapped": swap_name,
        "trained_numbers": int(sum(value.size for value in rounded.values())),
        "versions": {"unslant": __version__, "torch": str(torch.__version__)},
    }
    return TrainedHeads(model.weights_sha256, how, rounded, record)


def _identity(
    model: "TransformerModel", text: RunningText, dev: RunningText, how: HeadTraining
) -> str:
    """A hash of everything that the final weights depend on."""
    facts = {
        "model": model.weights_sha256,
        "text": text.content_hash,
        "dev": dev.content_hash,
        "how": asdict(how),
        "unslant": __version__,
        "torch": str(torch.__version__),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
