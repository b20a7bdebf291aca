"""Trainings that end in a file: the model for given vectors is trained once and then kept."""

from dataclasses import dataclass, field
from pathlib import Path

from unslant.core.extras import torch_for
from unslant.core.files import Progress, cache_folder
from unslant.datasets.nli import Splits
from unslant.models.nli.settings import NliTraining
from unslant.models.nli.trained import TrainedNli, load_nli
from unslant.vectors import WordVectors


def train_to(
    path: Path,
    vectors: WordVectors,
    pairs: Splits,
    how: NliTraining,
    note: str = "",
    progress: Progress | None = None,
) -> TrainedNli:
    """Train a model, write it to ``path`` with its record next to it, and read it back.

    Every finished epoch is kept in a checkpoint next to the file, removed when the model is
    safe: called again with the same vectors, pairs and settings, training resumes from it.
    """
    torch_for("Training")
    from unslant.models.nli.training import train

    kept = checkpoint_for(path)
    train(vectors, pairs, how, checkpoint=kept, name=path.stem, note=note, progress=progress).save(
        path
    )
    kept.unlink(missing_ok=True)
    return load_nli(path)


def checkpoint_for(path: Path) -> Path:
    """The checkpoint that keeps finished epochs until the model is written to ``path``."""
    return path.with_suffix(".checkpoint")


def trained_for(
    vectors: WordVectors,
    pairs: Splits,
    how: NliTraining,
    folder: Path,
    progress: Progress | None = None,
) -> TrainedNli:
    """The model trained on these vectors and pairs: found in ``folder``, or trained and put there.

    Its file is named by everything that its weights depend on. A training that was stopped goes
    on where it was.
    """
    torch_for("Retraining")
    from unslant.models.nli.training import identity

    path = folder / f"nli-{identity(vectors, pairs, how)[:16]}.safetensors"
    if path.exists():
        return load_nli(path)
    folder.mkdir(parents=True, exist_ok=True)
    return train_to(path, vectors, pairs, how, progress=progress)


@dataclass(frozen=True, kw_only=True)
class Retraining:
    """Train a model for each space, as the papers do, and keep the models in ``folder``."""

    pairs: Splits
    how: NliTraining = field(default_factory=NliTraining)
    folder: Path = field(default_factory=lambda: cache_folder() / "nli")

    def model(self, vectors: WordVectors, progress: Progress | None = None) -> TrainedNli:
        """The model for these vectors."""
        return trained_for(vectors, self.pairs, self.how, self.folder, progress)

    @property
    def skipped(self) -> int:
        """How many malformed lines of the pairs were left out."""
        return self.pairs.skipped
