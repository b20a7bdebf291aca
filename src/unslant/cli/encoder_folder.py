"""An encoder to fine-tune and the new folder that it is written to."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.cli import shared
from unslant.cli.adversary_options import say_what_adversaries_found
from unslant.cli.training import check_folder, epochs_table, said_what_is_kept
from unslant.concepts import concept as concept_from
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress
from unslant.models.language import TransformerModel, load_model
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

    def written(self, train: Train, *, as_json: bool, scores: tuple[str, ...] = ()) -> None:
        """Fine-tune, write the folder and show the epochs; nothing is lost on Ctrl-C."""
        if self.output.exists():
            raise OutputError(
                f"{self.output} already exists. Choose another name, or remove it first."
            )
        if self.concept is not None and self.method is None:
            raise UnslantError("--concept does nothing without --with. Add --with.")
        check_folder(self.output)
        encoder = self._encoder()
        from unslant.models.finetuning.folder import write_fine_tuned

        kept = self.output.with_name(f"{self.output.name}.checkpoint")
        with said_what_is_kept(kept), shared.progress_bar() as progress:
            tuned = train(self._treated(encoder, progress), kept, progress)
            write_fine_tuned(tuned, self.output)
        kept.unlink(missing_ok=True)
        if as_json:
            shared.print_json(tuned.record)
            return
        shared.out.print(epochs_table(tuned.record, *scores))
        say_what_adversaries_found(tuned.record)
        shared.say(f"Model: {self.output}")

    def _encoder(self) -> TransformerModel:
        encoder = load_model(self.model)
        if not isinstance(encoder, TransformerModel):
            raise UnslantError(f"{self.model} is an ELMo, which is not fine-tuned.")
        return encoder

    def _treated(self, encoder: TransformerModel, progress: Progress) -> TransformerModel:
        """The encoder with the intervention that acts in training, if there is one."""
        if self.method is None:
            return encoder
        subject = concept_from(self.concept or "gender")
        after = treated_model(self.method, encoder, subject, progress=progress).after
        assert isinstance(after, TransformerModel)
        return after
