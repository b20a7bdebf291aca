"""A task on an encoder, trained, and what its record says."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from unslant.core.files import Progress
from unslant.core.version import __version__
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.adversaries.training import train_against
from unslant.models.classifiers.task import EncoderTask
from unslant.models.training.adapters import merge
from unslant.models.training.checkpoint import Checkpoint

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


@dataclass(frozen=True, eq=False)
class FineTuned:
    """The network of the best epoch, its labels, and the record of its training."""

    model: "TransformerModel"
    network: Any
    labels: tuple[str, ...]
    record: dict[str, Any]


def fine_tuned(
    task: EncoderTask,
    *,
    data: Mapping[str, Any],
    adversaries: AdversarySettings | None = None,
    checkpoint: Path | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> FineTuned:
    """Train a task; every finished epoch is kept in the ``checkpoint`` and training resumes there.

    ``data`` is the examples' entry in the record. With ``adversaries`` the record also says what
    the predictions reveal of each attribute.
    """
    store = Checkpoint(checkpoint, identity(task, adversaries)) if checkpoint else None
    schedule = task.how.schedule(task.steps_in_round)
    outcome, opposition = train_against(task, schedule, adversaries, store=store, progress=progress)
    merge(outcome.network)
    model = task.model
    record: dict[str, Any] = {
        "task": task.name,
        "note": note,
        "model": model.original.name,
        "model_sha256": model.weights_sha256,
        "intervention": model.intervention.expression,
        "labels": list(task.labels),
        **{key: value for key, value in outcome.rounds[outcome.best - 1].items() if "dev" in key},
        **outcome.tested,
        "best_epoch": outcome.best,
        "epochs": outcome.rounds,
        "seconds": outcome.seconds,
        "settings": asdict(task.how),
        "trained_numbers": sum(value.size for value in outcome.weights.values()),
        **({"adversaries": opposition.to_dict()} if opposition else {}),
        "data": dict(data),
        "versions": {"unslant": __version__, "torch": str(torch.__version__)},
    }
    return FineTuned(model, outcome.network, task.labels, record)


def identity(task: EncoderTask, adversaries: AdversarySettings | None = None) -> str:
    """A hash of everything that the final weights depend on."""
    facts = {
        "task": task.name,
        "model": task.model.content_hash,
        "train": task.train.content_hash,
        "dev": task.dev.content_hash,
        "labels": list(task.labels),
        "how": asdict(task.how),
        **({"adversaries": asdict(adversaries)} if adversaries else {}),
        "unslant": __version__,
        "torch": str(torch.__version__),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
