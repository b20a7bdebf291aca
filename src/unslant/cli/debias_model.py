"""``unslant debias`` for a language model: methods in, a folder that others load out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from unslant.cli import shared
from unslant.cli.outputs import Outputs
from unslant.concepts import WordPolicy, concept
from unslant.concepts.contexts import EVERYDAY
from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import cache_folder
from unslant.models.language.export import (
    Exported,
    Loader,
    check_places,
    export,
    folded_for,
)
from unslant.models.language.model import TransformerModel
from unslant.studies.at_places import chain_at_places
from unslant.studies.debiasing import check_extent
from unslant.studies.model_debiasing import card_section, model_debiasing
from unslant.studies.resources import model_and_place, model_from
from unslant.studies.treated_model import treated_model
from unslant.studies.tunings import split_training_steps


@dataclass(frozen=True, kw_only=True)
class ModelJob:
    """The command's job."""

    model: str
    methods: str
    concept: str
    output: Path | None
    loader: Loader
    outputs: Outputs
    extent: str
    contexts: str | None
    corpus: Path | None
    policy: WordPolicy


def debias_model(job: ModelJob) -> None:
    """Fit, measure before and after, and write the folder if requested."""
    if (named := model_and_place(job.model)) is not None:
        raise UnslantError(
            f"Name the model alone ({named[0]}), and the place with each method, as in "
            f'--with "leace@{named[1]}".'
        )
    if job.output is not None and job.output.exists():
        raise OutputError(f"{job.output} exists. Choose another name for the model's folder.")
    check_extent(job.extent)
    chosen, before = concept(job.concept), model_from(job.model)
    if job.output is not None and not isinstance(before, TransformerModel):
        raise UnslantError(
            f"{before.name} is an ELMo, which cannot be exported. Save its erasers in Python, with "
            f'us.fit(…).save("intervention.safetensors"), or leave out -o.'
        )
    if job.output is not None:
        assert isinstance(before, TransformerModel)
        _check_folding(job, before)
    with _said_what_is_kept(), shared.progress_bar() as progress:
        treated = treated_model(
            job.methods,
            before,
            chosen,
            job.policy,
            contexts=job.contexts or EVERYDAY,
            corpus=job.corpus,
            progress=progress,
        )
        after = treated.after
        if job.output is not None:  # what the fitted erasers decide, before the long measuring
            assert isinstance(after, TransformerModel)
            folded_for(after, job.loader)
        done = model_debiasing(
            before,
            after,
            chosen,
            job.policy,
            extent=job.extent,
            treatment=treated.treatment,
            progress=progress,
        )
    exported = None
    if job.output is not None:
        assert isinstance(after, TransformerModel)
        exported = export(after, job.output, card_section(done.record), loader=job.loader)
    job.outputs.finish(done, Model=job.output)
    if not job.outputs.as_json:
        _say_how_to_load(exported, has_erasers=bool(after.intervention.steps))


def _check_folding(job: ModelJob, before: TransformerModel) -> None:
    """Refuse places that do not fold before anything is trained or fitted."""
    trainings, rest = split_training_steps(job.methods)
    steps = [*trainings, *(chain_at_places(rest, before) if len(rest) else ())]
    check_places(before, [step.place for step in steps if step.place is not None], job.loader)


@contextmanager
def _said_what_is_kept() -> Iterator[None]:
    """After Ctrl-C, say that finished rounds of a training are not lost."""
    try:
        yield
    except KeyboardInterrupt:
        if any((cache_folder() / "tunings").glob("*.checkpoint")):
            shared.note(
                "Finished rounds of training are kept; the same command goes on from there."
            )
        raise


def _say_how_to_load(exported: Exported | None, *, has_erasers: bool) -> None:
    if exported is None:
        shared.out.print("The model was not kept; add -o FOLDER to keep it.")
    elif not has_erasers:
        shared.say("The weights are the trained ones; the folder loads without Unslant.")
    else:
        shared.say(f"{exported.who_applies} {exported.why_not_folded}".rstrip())
