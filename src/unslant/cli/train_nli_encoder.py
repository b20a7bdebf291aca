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
from unslant.models.language import LanguageModel, TransformerModel, load_model
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
    fit_contexts: str | None = None

    @property
    def kept(self) -> Path:
        """Where finished epochs are kept until the folder is written."""
        return self.output.with_name(f"{self.output.name}.checkpoint")

    def check(self, *, overwrite: bool) -> None:
        """Refuse now what could not be written after hours, and options that do nothing."""
        if overwrite:
            raise UnslantError(
                "--overwrite is for files. Remove the folder first, or name another one."
            )
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

    def train(self, how: FineTuning, *, overwrite: bool, as_json: bool) -> None:
        """Fine-tune it, write it and show the epochs."""
        self.check(overwrite=overwrite)
        encoder = self._encoder()
        from unslant.models.finetuning.folder import write_fine_tuned
        from unslant.models.finetuning.inference import train_inference

        kept = self.kept
        with said_what_is_kept(kept), shared.progress_bar() as progress:
            pairs = read_corpus(
                self.data, skip_bad=self.skip_bad, keep_texts=True, progress=progress
            )
            shared.say_skipped(pairs.skipped)
            tuned = train_inference(
                self._treated_encoder(encoder, progress),
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

    def _treated_encoder(self, encoder: TransformerModel, progress: Progress) -> TransformerModel:
        after = self.treated(encoder, progress)
        assert isinstance(after, TransformerModel)
        return after
