"""A model to train on and the new folder that the result is written to."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.cli import shared
from unslant.cli.adversary_options import say_what_adversaries_found
from unslant.cli.training import check_folder, epochs_table, said_what_is_kept
from unslant.concepts import concept as concept_from
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress
from unslant.models.language.base import LanguageModel
from unslant.studies.treated_model import treated_model


@dataclass(frozen=True)
class TrainedFolder:
    """The folder of a model, an intervention for training or none, and the folder to write."""

    model: str
    output: Path
    method: str | None = None
    concept: str | None = None
    fit_contexts: str | None = None

    @property
    def kept(self) -> Path:
        """Where finished epochs are kept until the folder is written."""
        return self.output.with_name(f"{self.output.name}.checkpoint")

    def check(self) -> None:
        """Refuse now what could not be written after hours, and options that do nothing."""
        if self.output.exists():
            raise OutputError(
                f"{self.output} already exists. Choose another name, or remove it first."
            )
        for name in ("concept", "fit_contexts"):
            if getattr(self, name) is not None and self.method is None:
                flag = f"--{name.replace('_', '-')}"
                raise UnslantError(
                    f"{flag} does nothing without --with. Add --with, or leave it out."
                )
        check_folder(self.output)

    def treated(self, model: LanguageModel, progress: Progress) -> LanguageModel:
        """The model with the intervention that acts in training, if there is one."""
        if self.method is None:
            return model
        subject = concept_from(self.concept or "gender")
        return treated_model(
            self.method, model, subject, contexts=self.fit_contexts, progress=progress
        ).after

    @contextmanager
    def training(self) -> Iterator[Progress]:
        """A bar for the training; what is kept goes when it has ended well, and not on Ctrl-C."""
        with said_what_is_kept(self.kept), shared.progress_bar() as progress:
            yield progress
        self.kept.unlink(missing_ok=True)

    def show(self, record: Mapping[str, Any], *scores: str, as_json: bool) -> None:
        """Say how the training went."""
        if as_json:
            shared.print_json(dict(record))
            return
        shared.out.print(epochs_table(record, *scores))
        say_what_adversaries_found(record)
        shared.say(f"Model: {self.output}")
