"""What commands that train share: outputs checked first, nothing lost on Ctrl-C, epochs shown."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from unslant.cli import shared
from unslant.cli.outputs import check_new
from unslant.concepts import concept as concept_from
from unslant.core.errors import OutputError, UnslantError
from unslant.core.exhibits import Column, Table
from unslant.core.files import Progress
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import TransformerModel, load_model
from unslant.reports.table_terminal import Drawn
from unslant.studies.treated_model import treated_model

if TYPE_CHECKING:
    from unslant.models.classifiers.training import FineTuned


def check_output(output: Path, *, overwrite: bool) -> None:
    """Refuse now what could not be written, or would be lost, after hours of training."""
    try:
        check_new(output, overwrite=overwrite, ending=".safetensors")
        check_new(output.with_suffix(".json"), overwrite=overwrite)
        check_folder(output)
    except OSError as error:
        raise OutputError(
            f"Cannot write {output}: {error.strerror}. Choose another name or folder."
        ) from error


def check_folder(output: Path) -> None:
    """Refuse an output folder that is not writable, before training."""
    try:
        with tempfile.TemporaryFile(dir=Path(os.path.realpath(output)).parent):
            pass
    except OSError as error:
        raise OutputError(
            f"Cannot write {output}: {error.strerror}. Choose another name or folder."
        ) from error


@contextmanager
def said_what_is_kept(checkpoint: Path) -> Iterator[None]:
    """After Ctrl-C, report that finished rounds are kept."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint.exists():
            kept = f"What was learnt so far is kept in {checkpoint}"
            shared.note(f"{kept}; the same command goes on from there.")
        raise


@dataclass(frozen=True)
class NewFolder:
    """The folder of a model to train on, an intervention or none, and the folder to write."""

    model: str
    output: Path
    method: str | None = None
    concept: str | None = None
    fit_contexts: str | None = None

    @property
    def kept(self) -> Path:
        """The checkpoint of finished epochs until the folder is written."""
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

    def encoder(self) -> TransformerModel:
        """The model, which must be one that can be fine-tuned."""
        model = load_model(self.model)
        if not isinstance(model, TransformerModel):
            raise UnslantError(f"{self.model} is an ELMo, which is not fine-tuned.")
        return model

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
        """A progress bar for the training; the checkpoint is removed only after success."""
        with said_what_is_kept(self.kept), shared.progress_bar() as progress:
            yield progress
        self.kept.unlink(missing_ok=True)

    def fine_tune(
        self,
        train: Callable[[TransformerModel, Path, Progress], "FineTuned"],
        *,
        as_json: bool,
        scores: tuple[str, ...] = (),
    ) -> Mapping[str, Any]:
        """Fine-tune, write the folder and show the epochs; ``train`` takes a checkpoint's path."""
        self.check()
        encoder = self.encoder()
        from unslant.models.classifiers.folder import write_fine_tuned

        with self.training() as progress:
            treated = self.treated(encoder, progress)
            assert isinstance(treated, TransformerModel)
            tuned = train(treated, self.kept, progress)
            write_fine_tuned(tuned, self.output)
        self.show(tuned.record, *scores, as_json=as_json)
        return tuned.record

    def show(self, record: Mapping[str, Any], *scores: str, as_json: bool) -> None:
        """Say how the training went, and what fresh adversaries recover."""
        if as_json:
            shared.print_json(dict(record))
            return
        shared.out.print(epochs_table(record, *scores))
        adversaries = record.get("adversaries", {"judged": {}, "warnings": ()})
        for judged in adversaries["judged"].values():
            shared.say(f"Recovered from held-out predictions: {judged['verdict']}")
        for warning in adversaries["warnings"]:
            shared.note(warning)
        shared.say(f"Model: {self.output}")


def show_model(trained: Any, output: Path, *tables: RenderableType, as_json: bool) -> None:
    """Say how the training of a model in one file went."""
    if as_json:
        shared.print_json({"shape": trained.shape.to_dict(), "record": dict(trained.record)})
        return
    for table in tables:
        shared.out.print(table)
    shared.say(f"Model: {output}")
    shared.say(f"Record: {output.with_suffix('.json')}")


def epochs_table(record: Mapping[str, Any], *more: str) -> RenderableType:
    """The loss and the dev scores of each epoch, and which one was kept.

    ``more`` are scores in addition to the accuracy, by their names in the record.
    """
    scores = ("dev_accuracy", *more)
    test = record.get("test_accuracy")
    caption = f"Kept: epoch {record['best_epoch']}, dev accuracy {record['dev_accuracy']:.4f}"
    caption += f", test accuracy {test:.4f}" if test is not None else ""
    named = dict(zip(scores, map(shown_name, scores), strict=True))
    return rounds_table("epoch", record["epochs"], {"loss": "loss", **named}, caption)


def rounds_table(
    first: str,
    rounds: list[Mapping[str, float]],
    columns: Mapping[str, str],
    caption: str,
    digits: int = 4,
) -> RenderableType:
    """One row for each round, with the columns of its record and the seconds that it took."""
    return training_table(
        caption,
        {first: 0, **dict.fromkeys(columns.values(), digits), "seconds": 0},
        ([each[key] for key in (*columns, "seconds")] for each in rounds),
    )


def training_table(
    caption: str, columns: Mapping[str, int], rows: Iterable[Sequence[Any]]
) -> RenderableType:
    """The course of a training: names of columns with their digits, rows counted from 1."""
    table = Table(
        id="training",
        title="",
        columns=tuple(Column(label=label, digits=digits) for label, digits in columns.items()),
        rows=tuple((number, *row) for number, row in enumerate(rows, start=1)),
    )
    return Group(Drawn(table), Text(caption))


def shown_name(score: str) -> str:
    """The table heading for a score's name in a record."""
    return score.replace("_", " ").replace("span f1", "span F1")
