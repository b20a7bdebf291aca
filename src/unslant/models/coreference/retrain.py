"""Trainings that end in a file: the model for given vectors is trained once and then kept."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.extras import torch_for
from unslant.core.files import Progress, cache_folder
from unslant.models.coreference.data import CorefData
from unslant.models.coreference.settings import CorefTraining
from unslant.models.coreference.trained import TrainedCoref, load_coref
from unslant.vectors import WordVectors

if TYPE_CHECKING:
    from unslant.models.coreference.context import WordsInSentences


def train_to(
    path: Path,
    vectors: WordVectors,
    data: CorefData,
    how: CorefTraining,
    note: str = "",
    progress: Progress | None = None,
    context: "WordsInSentences | None" = None,
) -> TrainedCoref:
    """Train a model, write it to ``path`` with its record next to it, and read it back.

    Every finished round is kept in a checkpoint next to the file, removed when the model is
    safe: called again with the same vectors, documents and settings, training resumes from it.
    """
    torch_for("Training")
    from unslant.models.coreference.training import train

    kept = checkpoint_for(path)
    train(
        vectors,
        data,
        how,
        context=context,
        checkpoint=kept,
        name=path.stem,
        note=note,
        progress=progress,
    ).save(path)
    kept.unlink(missing_ok=True)
    return load_coref(path)


def checkpoint_for(path: Path) -> Path:
    """The checkpoint that keeps finished rounds until the model is written to ``path``."""
    return path.with_suffix(".checkpoint")


@dataclass(frozen=True, kw_only=True)
class CorefRetraining:
    """Train a model for each space, as the papers do, and keep the models in ``folder``.

    The file of a model is named by everything that its weights depend on.
    """

    data: CorefData
    how: CorefTraining = field(default_factory=CorefTraining)
    folder: Path = field(default_factory=lambda: cache_folder() / "coref")

    def model(self, vectors: WordVectors, progress: Progress | None = None) -> TrainedCoref:
        """The model for these vectors: found, or trained now."""
        torch_for("Retraining")
        from unslant.models.coreference.training import identity

        path = self.folder / f"coref-{identity(vectors, self.data, self.how)[:16]}.safetensors"
        if path.exists():
            return load_coref(path)
        self.folder.mkdir(parents=True, exist_ok=True)
        return train_to(path, vectors, self.data, self.how, progress=progress)

    @property
    def skipped(self) -> int:
        """Malformed lines of documents are never left out: they are refused."""
        return 0
