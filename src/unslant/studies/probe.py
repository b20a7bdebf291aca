"""A probe of any kind: its set put to a model, before and after debiasing what the model reads."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.contexts import GivenContexts
from unslant.core.components import shortest
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Exhibit, Points, Shares
from unslant.core.expression import Call, parse_call
from unslant.core.files import Progress
from unslant.core.provenance import provenance
from unslant.core.record import Record, Result
from unslant.core.registry import Entry
from unslant.core.seeds import check_seed
from unslant.measures.change import change_of, control_of, corrected
from unslant.measures.registry import MEASURES, Declared, meaning, measure_from
from unslant.measures.setting import Findings
from unslant.models.language.base import LanguageModel
from unslant.predictors.protocols import has_method
from unslant.probes.abilities import KnowsFolders, Questions, Retrains, Trainer
from unslant.studies.checks import check_probe, policy_from, refuse_no_answer
from unslant.studies.predictor_lookup import asker_for, questions_of
from unslant.studies.probe_job import (
    ProbeJob,
    answers_as_they_are,
    answers_in_model,
    answers_on_vectors,
)
from unslant.studies.record import Recorded, resource_of
from unslant.studies.resources import model_from, names_model
from unslant.studies.tunings import split_training_steps
from unslant.vectors import vectors_from

CONTROLS = 4
"""How often random directions are removed by default; a training is repeated once without its
debiasing term."""
MOST_ROWS = 16
"""How many rows of shares are kept, of the ones that come first before debiasing."""


def probe(
    expression: str,
    resource: Any = None,
    *,
    questions: Any = None,
    model: Any = None,
    method: str | None = None,
    concept: GivenConcept | None = None,
    fit_contexts: GivenContexts | None = None,
    policy: WordPolicy | None = None,
    compare: bool = False,
    baseline: Any = None,
    controls: int | None = None,
    retraining: Trainer | str | Path | None = None,
    scores: str | Path | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Recorded:
    """Put the set of a probe, such as ``nli(set=marked-attribute)``, to a model.

    ``resource`` is word vectors that the probe's own model reads, or a model: a language model (or
    the path of its folder), or any object with the method that the probe needs, such as
    ``predict(premises, hypotheses)`` for nli. A ``baseline`` is the same model before it was
    changed: it gets the same questions, and each change has an interval. A ``model``
    that reads vectors may be given with them, and ``scores`` is a file of answers made elsewhere.
    ``questions`` is a set of your own in place of the one that the expression names.

    With a ``method`` the vectors are debiased first, by the set's own concept unless another is
    named; a language model by methods at its places (``linear@layer:-1``), fitted on words in
    ``fit_contexts`` (everyday ones, others, or ``types(FILE)``). With ``compare`` they
    are also tested unchanged, and with random directions removed, as many as the method removes
    and at the same places, ``controls`` times: what a method changes has to be more than any
    direction would. A method that trains (``context-debias(text=novels.txt)``) is compared with the
    same training without its debiasing term, once unless ``controls`` says how often. Without
    ``retraining`` one model reads all of these spaces; with it, each has a
    model of its own. Words of the set without a vector are left out and listed, unless the
    ``policy`` is to refuse them.
    """
    call, entry = _called(expression, seed)
    measure = measure_from(call)
    resource, baseline = _opened(measure, resource), _opened(measure, baseline)
    is_language_model = isinstance(resource, LanguageModel)
    if is_language_model or has_method(resource, entry.facts.needs):  # type: ignore[arg-type]
        if model is not None:
            raise UnslantError("Two models are given; name one.")
        resource, model = None, resource
    vectors = None if resource is None else vectors_from(resource)
    if controls is None:
        controls = (
            1
            if method is not None and is_language_model and split_training_steps(method)[0]
            else CONTROLS
        )
    check_probe(questions=questions, controls=controls, scores=scores, retraining=retraining)
    if compare and method is None:
        raise UnslantError("There is nothing to compare with: name a debiasing method too.")
    first_seed = int(getattr(measure, "seed", seed or 0))
    trainer = _trainer(entry, measure, retraining, first_seed, progress)
    asker = asker_for(entry, measure, vectors=vectors, model=model, scores=scores, trainer=trainer)
    if method is not None and baseline is not None:
        raise UnslantError(
            "With a method the model as it is is the baseline. Name a method and compare "
            "([[method=…, compare=True|--with, --compare]]), or a baseline."
        )
    if not asker.reads_vectors and method is not None and not is_language_model:
        raise UnslantError(
            f"{type(asker.predictor).__name__} does not read the vectors, so debiasing them "
            f"changes none of its answers. Leave out method, compare and retraining."
        )
    if fit_contexts is not None and (method is None or not is_language_model):
        raise UnslantError(
            "Contexts to fit in are for methods at places of a language model. Name both, or leave "
            "out [[fit_contexts|--fit-contexts]]."
        )
    if baseline is not None and (asker.reads_vectors or scores is not None):
        raise UnslantError(
            "A baseline is a model to compare a model with. For word vectors, name a method and "
            "compare ([[method=…, compare=True|--with, --compare]])."
        )
    policy = policy_from(policy)
    asked = questions_of(measure, vectors, policy, questions, asker.predictor)
    job = ProbeJob(call, entry, measure, asked, asker, policy, questions is not None, progress)
    if method is None:
        answers = answers_as_they_are(job, vectors, baseline)
    else:
        compared = controls if compare else None
        subject = _concept(concept, asked)
        if vectors is not None:
            answers = answers_on_vectors(job, vectors, method, subject, compared, first_seed)
        else:
            answers = answers_in_model(
                job, model, method, subject, compared, first_seed, fit_contexts
            )
    now, before, after = answers.now, answers.before, answers.vectors
    refuse_no_answer(now.measurements, answers.by.model.name)
    is_read = asker.reads_vectors
    warnings, left_out = job.remarks(after, answers.by)
    return Recorded(
        Record(
            about="probe",
            subject=job.subject(),
            resource=resource_of(after) if after is not None and is_read else answers.by.model,
            predictor=answers.by.model if is_read else None,
            baseline=answers.baseline,
            treatment=answers.treatment,
            controls=answers.controls,
            results=tuple(
                _results(now, before, answers.random, answers.directions, answers.instead)
            ),
            exhibits=tuple(_side_by_side(now, before)),
            left_out=(*left_out, *now.left_out),
            warnings=(*warnings, *now.warnings),
            glossary={item.metric: meaning(item.metric) for item in now.measurements},
            settings={
                "expression": str(shortest(MEASURES, call)),
                "seed": first_seed,
                "controls": len(answers.random),
                "missing": policy.missing,
                "case": policy.case,
            },
            provenance=provenance(),
        )
    )


def _opened(made: Any, given: Any) -> Any:
    """The model in a folder, if a folder was given."""
    if isinstance(given, str | Path):
        if isinstance(made, KnowsFolders) and made.knows(given):
            return made.loaded(Path(given))  # type: ignore[attr-defined]
        if names_model(given):
            return model_from(given)
    return given


def _called(expression: str, seed: int | None) -> tuple[Call, Entry[Declared]]:
    if not isinstance(expression, str):
        raise UnslantError(
            f'Name the probe first, as in us.probe("nli", vectors), not '
            f"{type(expression).__name__}."
        )
    call = parse_call(expression)
    entry = MEASURES.entry(call.name)
    if not entry.facts.is_probe:
        raise UnslantError(
            f'{entry.name} is a metric, which measures vectors. Use us.measure("{expression}", …), '
            f"or unslant measure."
        )
    if seed is not None:
        check_seed(seed)
        has_seed = any(field.name == "seed" for field in fields(entry.component))
        if has_seed and "seed" not in dict(call.kwargs):
            call = replace(call, kwargs=(*call.kwargs, ("seed", seed)))
    return call, entry


def _trainer(
    entry: Entry[Declared],
    made: Any,
    retraining: Trainer | str | Path | None,
    seed: int,
    progress: Progress | None,
) -> Trainer | None:
    if not isinstance(retraining, str | Path):
        return retraining
    if not isinstance(made, Retrains):
        raise UnslantError(f"{entry.name} trains no model. Leave out [[retraining|--retrain]].")
    return made.retraining(Path(retraining), seed=seed, skip_bad=False, progress=progress)


def _concept(given: GivenConcept | None, asked: Questions | None) -> Concept:
    name = given or getattr(asked, "concept", "")
    if not name:
        raise UnslantError(
            f"{asked.name if asked else 'The probe'} does not say which concept it is about; name "
            f"the one to debias by with [[concept=…|--concept]]."
        )
    return concept_from(name)


def _results(
    now: Findings,
    before: Findings | None,
    random: Sequence[Findings],
    directions: int,
    instead: str,
) -> list[Result]:
    old = before.measurements if before else ()
    return [
        Result(
            now=item,
            before=earlier,
            change=change_of(item, earlier) if earlier else None,
            control=control_of(
                item, [each.measurements[place] for each in random], directions, instead
            )
            if random
            else None,
            corrected=correction,
        )
        for place, (item, earlier, correction) in enumerate(
            zip_longest(now.measurements, old, corrected(now.measurements))
        )
    ]


def _side_by_side(now: Findings, before: Findings | None) -> list[Exhibit]:
    """The exhibits of now, with those of before in front of their counterparts."""
    old = {item.id: item for item in (before.exhibits if before else ())}
    exhibits: list[Exhibit] = []
    for item in now.exhibits:
        earlier = old.get(item.id)
        if isinstance(item, Shares):
            order = earlier.rows if isinstance(earlier, Shares) else item.rows
            labels = [row.label for row in order][:MOST_ROWS]
            if isinstance(earlier, Shares):
                exhibits.append(replace(_rows(earlier, labels), when="before"))
            exhibits.append(_rows(item, labels))
        else:
            if isinstance(item, Points) and isinstance(earlier, Points):
                exhibits.append(replace(earlier, when="before"))
            exhibits.append(item)
    return exhibits


def _rows(item: Shares, labels: Sequence[str]) -> Shares:
    rows = {row.label: row for row in item.rows}
    return replace(item, rows=tuple(rows[label] for label in labels if label in rows))
