"""An encoder to fine-tune and the new folder that it is written to."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.cli import shared
from unslant.cli.training import check_folder, epochs_table, said_what_is_kept
from unslant.concepts import concept as concept_from
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress
from unslant.models.language import LanguageModel, TransformerModel, load_model
from unslant.studies.treated_model import treated_model

if TYPE_CHECKING:
    from unslant.models.finetuning.training import FineTuned

Train = Callable[[TransformerModel, Path, Progress], "FineTuned"]
"""Given the encoder, the path of a checkpoint and a bar."""


@dataclass(frozen=True)
class EncoderFolder:
    """The folder of an encoder, an intervention for training or none, and the folder to write."""

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
        for flag, value in (("--concept", self.concept), ("--fit-contexts", self.fit_contexts)):
            if value is not None and self.method is None:
                raise UnslantError(f"{flag} does nothing without --with. Add --with.")
        check_folder(self.output)

    def treated(self, model: LanguageModel, progress: Progress) -> Any:
        """The model with the intervention that acts in training, if there is one."""
        if self.method is None:
            return model
        subject = concept_from(self.concept or "gender")
        return treated_model(
            self.method, model, subject, contexts=self.fit_contexts, progress=progress
        ).after

    def written(self, train: Train, *, as_json: bool, scores: tuple[str, ...] = ()) -> None:
        """Fine-tune, write the folder and show the epochs; nothing is lost on Ctrl-C."""
        self.check()
        encoder = self._encoder()
        from unslant.models.finetuning.folder import write_fine_tuned

        with said_what_is_kept(self.kept), shared.progress_bar() as progress:
            tuned = train(self.treated(encoder, progress), self.kept, progress)
            write_fine_tuned(tuned, self.output)
        self.kept.unlink(missing_ok=True)
        if as_json:
            shared.print_json(tuned.record)
            return
        shared.out.print(epochs_table(tuned.record, *scores))
        shared.say(f"Model: {self.output}")

    def _encoder(self) -> TransformerModel:
        encoder = load_model(self.model)
        if not isinstance(encoder, TransformerModel):
            raise UnslantError(f"{self.model} is an ELMo, which is not fine-tuned.")
        return encoder
