"""The effect of an intervention on a language model: measures before and after, at its output."""

from collections.abc import Sequence
from dataclasses import replace

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import GivenContexts
from unslant.core import wording
from unslant.core.expression import Call
from unslant.core.files import Progress
from unslant.core.record import Record, Result, Treatment
from unslant.core.visible import cell, escaped
from unslant.models.language.base import LanguageModel
from unslant.models.language.layout import ModelLayout
from unslant.studies.audit import Audit, audit
from unslant.studies.audit_jobs import GivenJob, Job, jobs_of
from unslant.studies.probe import probe
from unslant.studies.record import Recorded
from unslant.studies.treatment import treatment_of_model

MAIN = ("weat", "direct-bias", "probing", "relatedness")
"""What is measured by default, where the concept and the data allow it."""


def model_debiasing(
    before: LanguageModel,
    after: LanguageModel,
    concept: Concept,
    policy: WordPolicy | None = None,
    *,
    extent: str = "main",
    jobs: Sequence[GivenJob] | None = None,
    contexts: GivenContexts | None = None,
    treatment: Treatment | None = None,
    progress: Progress | None = None,
) -> Audit:
    """An audit of a model after methods against the model before them.

    ``treatment`` is what was done, if it is more than the interventions that act in the model.

    A model saved with its language-model head is also tested on how well it still predicts
    held-out text, unless ``jobs`` say what to measure.
    """
    done = audit(
        after,
        concept,
        policy,
        baseline=before,
        jobs=jobs_for_model(concept, extent) if jobs is None else jobs,
        treatment=treatment or treatment_of_model(after, concept),
        contexts=contexts,
        progress=progress,
    )
    guard = _guard(after) if jobs is None and extent != "none" else ""
    return _joined(done, probe(guard, after, baseline=before, progress=progress)) if guard else done


def _guard(model: LanguageModel) -> str:
    """The probe that shows what a model with a head lost; empty for one without."""
    layout = model.layout
    if not isinstance(layout, ModelLayout) or not layout.has_head:
        return ""
    return "perplexity" if layout.architecture.is_decoder else "masked-accuracy"


def _joined(done: Audit, asked: Recorded) -> Audit:
    """The audit with the results of a probe after its own."""
    record, other = done.record, asked.record
    return Audit(
        replace(
            record,
            results=(*record.results, *other.results),
            left_out=(*record.left_out, *other.left_out),
            glossary={**record.glossary, **other.glossary},
            conclusion=None,  # all of it is judged together
        )
    )


def jobs_for_model(concept: Concept, extent: str = "main") -> list[Job]:
    """The measures taken before and after: the main ones, all of them, or none."""
    if extent == "none":
        return []
    every: list[Job] = [
        *jobs_of(concept, refitted=True, of_texts=True),
        (Call("probing"), concept),
    ]
    return [job for job in every if extent == "all" or job[0].name in MAIN]


# The debiasing section of a model card: main measures before and after, as Markdown.

_MOST = 12


def card_section(record: Record) -> str:
    """A table of the changes, and the limits of what they show."""
    rows = [result for result in record.results if result.before is not None][:_MOST]
    if not rows:
        return ""
    lines = [
        f"Measured for {escaped(record.subject.title)}, before and after on the same resamples:",
        "",
        "| measure | before | after | change (95 % interval) | better |",
        "|---|---|---|---|---|",
        *(_row(result) for result in rows),
        "",
        "These results apply only to the words tested. A small value does not show that the model "
        "is free of bias.",
    ]
    return "\n".join(lines)


def _row(result: Result) -> str:
    assert result.before is not None
    change = result.change
    ends = change.interval if change else None
    difference = _number(change.difference if change else None)
    interval = f" ({wording.interval(ends)})" if ends else ""
    verdict = change.verdict if change else ""
    cells = (
        cell(result.now.title),
        _number(result.before.value),
        _number(result.now.value),
        f"{difference}{interval}",
        verdict,
    )
    return f"| {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    return "–" if value is None else wording.number(value)
