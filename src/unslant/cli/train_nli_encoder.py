"""The part of ``unslant train nli`` that fine-tunes an encoder and writes a folder."""

from dataclasses import dataclass
from pathlib import Path

from unslant.cli import shared
from unslant.cli.training import check_folder, epochs_table, said_what_is_kept
from unslant.concepts import concept as concept_from
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress
from unslant.datasets.nli import read_corpus
from unslant.models.finetuning.settings import FineTuning
from unslant.models.language import TransformerModel, load_model
from unslant.studies.treated_model import treated_model


@dataclass(frozen=True)
class EncoderOutput:
    """An encoder, the pairs to train it on, and the folder to write."""

    model: str
    data: Path
    output: Path
    method: str | None
    concept: str | None
    most: int
    note: str
    skip_bad: bool

    def train(self, how: FineTuning, *, overwrite: bool, as_json: bool) -> None:
        """Fine-tune it, write it and show the epochs."""
        if overwrite:
            raise UnslantError(
                "--overwrite is for files. Remove the folder first, or name another one."
            )
        if self.output.exists():
            raise OutputError(
                f"{self.output} already exists. Choose another name, or remove it first."
            )
        if self.concept is not None and self.method is None:
            raise UnslantError(
                "--concept does nothing without --with. Add --with, or leave it out."
            )
        check_folder(self.output)
        encoder = self._encoder()
        from unslant.models.finetuning.folder import write_fine_tuned
        from unslant.models.finetuning.inference import train_inference

        kept = self.output.with_name(f"{self.output.name}.checkpoint")
        with said_what_is_kept(kept), shared.progress_bar() as progress:
            pairs = read_corpus(
                self.data, skip_bad=self.skip_bad, keep_texts=True, progress=progress
            )
            shared.say_skipped(pairs.skipped)
            tuned = train_inference(
                self._treated(encoder, progress),
                pairs,
                how,
                most=self.most,
                checkpoint=kept,
                note=self.note,
                progress=progress,
            )
            write_fine_tuned(tuned, self.output)
        kept.unlink(missing_ok=True)
        if as_json:
            shared.print_json(tuned.record)
            return
        shared.out.print(epochs_table(tuned.record))
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
