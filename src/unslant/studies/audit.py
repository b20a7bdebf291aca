"""An audit: everything that is known about one concept in one set of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.contexts import GivenContexts
from unslant.concepts.language_fit import better_fit
from unslant.concepts.languages import language_name
from unslant.concepts.read import own_definition
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.exhibits import Column, Exhibit, Spectrum, Table, spectrum
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.core.record import (
    LeftOut,
    Record,
    Resource,
    Result,
    Subject,
    Treatment,
    flat,
    what_was_measured,
    why_not_comparable,
)
from unslant.datasets.registry import MissingDatasetError
from unslant.measures.change import change_of, corrected
from unslant.measures.registry import meaning
from unslant.measures.running import measure
from unslant.models.language.facts import model_facts
from unslant.studies.audit_jobs import GivenJob, jobs_of, measurable
from unslant.studies.checks import check_jobs, policy_from, refuse_empty, refuse_nothing
from unslant.studies.record import Recorded, resource_of
from unslant.studies.resources import space_of
from unslant.subspaces.stability import Stability, stability
from unslant.vectors import Space, WordVectors

if TYPE_CHECKING:
    from unslant.studies.random_controls import Match
    from unslant.studies.resources import Given


# How well the words determine a concept's direction, as exhibits of an audit.

_RATIOS = ("2nd / 1st", "3rd / 1st", "4th / 1st")


def direction_exhibits(
    vectors: Space, concept: Concept, policy: WordPolicy, left_out: list[LeftOut]
) -> tuple[Exhibit, ...]:
    """How the variance falls off over the axes, and how far other estimates agree."""
    in_use = _in_use(vectors, concept, policy)
    others = []
    for expression in concept.alternatives:
        try:
            others += stability(vectors, concept, others=(expression,), policy=policy)
        except UnslantError as error:
            left_out.append(LeftOut(what=f"stability against {expression}", why=str(error)))
    spectra = [Spectrum(row.estimator, row.explained, row.chance) for row in (*in_use, *others)]
    tables = (_table(concept, others),) if others else ()
    return (*tables, *spectrum(spectra, concept.name, vectors.name))


def _in_use(vectors: Space, concept: Concept, policy: WordPolicy) -> list[Stability]:
    if concept.direction is None:
        return []
    try:
        return stability(vectors, concept, others=(concept.direction,), policy=policy)
    except UnslantError:  # direct bias and the stability say what is wrong with it
        return []


def _table(concept: Concept, rows: list[Stability]) -> Table:
    columns = [Column(label="estimate"), *(Column(label=label, digits=2) for label in _RATIOS)]
    return Table(
        id="stability",
        title="How well the direction is determined",
        columns=(*columns, Column(label="cosine with the direction in use", digits=2)),
        rows=tuple((row.estimator, *_three(row.ratios), row.cosine) for row in rows),
        caption=f"Other estimates compared with {concept.direction}. Small ratios mean that one "
        f"direction dominates; a cosine of 1 means full agreement.",
    )


def _three(ratios: tuple[float, ...]) -> tuple[float | None, ...]:
    return (*ratios[:3], *[None] * (3 - len(ratios)))


_FETCH = (
    "the data are not installed; run: unslant files fetch all — or set UNSLANT_DATA to a folder "
    "that has them"
)


Found = Sequence[Measurement | None]
"""The measurement of each job, None if it could not be made."""


class Audit(Recorded):
    """The record of an audit."""


def audit(
    vectors: Given,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    baseline: Given | None = None,
    quality: bool = True,
    jobs: Sequence[GivenJob] | None = None,
    treatment: Treatment | None = None,
    match: Match | None = None,
    contexts: GivenContexts | None = None,
    cache: bool = False,
    progress: Progress | None = None,
) -> Audit:
    """Measure a concept by its association tests, its neutral words and its own measures.

    With a ``baseline`` (the space before debiasing, say) everything is measured there too, on the
    same resamples, so that each change has an interval, and again with random directions removed,
    as many as the two differ along or as ``match`` says: a change that these make too is not
    claimed. Words that are missing from the vectors
    are dropped and listed, unless the policy says otherwise: an audit has many tests, and one
    missing name should not hide the others. ``jobs`` says what to measure instead of everything;
    ``treatment`` is what was done to the baseline. A language model is measured at the place that
    has its sentence vectors, with the words in ``contexts``; ``cache`` keeps these on disk.
    """
    concept = concept_from(concept)
    spaces = partial(space_of, subject=concept, contexts=contexts, cache=cache, progress=progress)
    space = spaces(vectors)
    if concept.items == "sentences" and isinstance(space, WordVectors):
        raise UnslantError(
            f"The concept {concept.name} consists of sentences, and {space.name} has only words. "
            f"Audit a language model, or a space of sentences (us.space)."
        )
    base = None if baseline is None else spaces(baseline)
    policy = policy_from(policy)
    is_whole = jobs is None
    if jobs is None:
        jobs = jobs_of(
            concept,
            quality=quality,
            refitted=base is not None,
            of_texts=not isinstance(space, WordVectors),
        )
        refuse_empty(concept, jobs)
    check_jobs(jobs)
    jobs, unmet = measurable(jobs, space)
    run = _Run(jobs, policy, base, progress)
    run.left_out += unmet
    now = run.measured(space)
    before = run.measured(base) if base is not None else [None] * len(jobs)
    results = list(_results(now, before))
    run.left_out += _only_before(now, before)
    if any(subject is not None for _, subject in jobs):
        refuse_nothing(space, concept, policy, results, run.left_out)
    controls = None
    if base is not None:
        from unslant.studies.random_controls import match_between, with_controls

        measured = [job for job, found in zip(jobs, now, strict=True) if found is not None]
        match = match or match_between(base, space)
        results, controls = with_controls(results, measured, base, concept, policy, match, progress)
    fit = better_fit(space, concept, policy.case)
    doubt = f"{space.name} may be in another language" if fit else ""
    exhibits = direction_exhibits(space, concept, policy, run.left_out) if is_whole else ()
    return Audit(
        Record(
            about="audit",
            resource=_resource(space),
            baseline=_resource(base) if base is not None else None,
            treatment=treatment,
            controls=controls,
            doubt=doubt,
            subject=subject_of(concept),
            results=tuple(results),
            exhibits=exhibits,
            left_out=tuple(run.left_out),
            warnings=(f"{doubt}. {fit}",) if fit else (),
            glossary={name: meaning(name) for name in {item.now.metric: 0 for item in results}},
            settings={
                "missing-words": policy.missing,
                "spelling": policy.case,
                "direction": concept.direction,
                **({"language": language_name(concept.language)} if concept.language else {}),
            },
            provenance=provenance(),
        )
    )


def _resource(space: Space) -> Resource:
    """The identity of vectors and their file, or of a place and its model."""
    if isinstance(space, WordVectors):
        facts = {"zero-vectors": space.count_zero_vectors(), **flat(space.origin)}
        return resource_of(space, **facts)
    model = getattr(space, "model", None)
    return Resource(
        name=space.name,
        kind="vectors" if model is None else "model",
        sha256=space.content_hash,
        facts={"dim": space.dim, **({} if model is None else model_facts(model))},
    )


def subject_of(concept: Concept) -> Subject:
    """A concept's entry in a record; user-defined ones are included with all their words."""
    return Subject(
        kind="concept",
        name=concept.name,
        title=concept.title,
        about=concept.about,
        groups=tuple(concept.groups),
        caveats=tuple(concept.caveats),
        sha256=concept.content_hash,
        definition=own_definition(concept),
    )


class _Run:
    """Measures the same jobs in one space after another, and notes what cannot be measured."""

    def __init__(
        self,
        jobs: Sequence[GivenJob],
        policy: WordPolicy,
        baseline: Space | None,
        progress: Progress | None,
    ) -> None:
        self.jobs, self.policy, self.baseline, self.progress = jobs, policy, baseline, progress
        self.left_out: list[LeftOut] = []

    def measured(self, vectors: Space) -> list[Measurement | None]:
        """The measurement of each job, None if it could not be made."""
        done: list[Measurement | None] = []
        failed: dict[str, list[str]] = {}  # what could not be measured, by the reason
        for number, (expression, subject) in enumerate(self.jobs):
            if self.progress:
                self.progress(f"Measuring {vectors.name}", number, len(self.jobs))
            measurement = None
            try:
                measurement = measure(
                    expression, vectors, subject, self.policy, baseline=self.baseline
                )
                parameters = dict(measurement.parameters)
                parameters.pop("definition", None)  # the record has it once, of the concept
                measurement = replace(measurement, parameters=parameters)
            except MissingDatasetError:
                failed.setdefault(_FETCH, []).append(str(expression))
            except UnslantError as error:
                if self.policy.missing == "fail" and isinstance(error, MissingWordsError):
                    raise
                what = f"{expression} on {subject.name}" if subject else str(expression)
                failed.setdefault(str(error), []).append(what)
            done.append(measurement)
        self.left_out += [
            LeftOut(what=f"{vectors.name}: {', '.join(whats)}", why=why)
            for why, whats in failed.items()
        ]
        return done


def _results(now: Found, before: Found) -> Iterator[Result]:
    """Each measurement with the one before, the change and the corrected p-value."""
    pairs = [(one, other) for one, other in zip(now, before, strict=True) if one is not None]
    for (one, other), p in zip(pairs, corrected([one for one, _ in pairs]), strict=True):
        why = why_not_comparable(one, other) if other else ""
        change = change_of(one, other) if other and not why else None
        yield Result(now=one, before=other, not_comparable=why, change=change, corrected=p)


def _only_before(now: Found, before: Found) -> list[LeftOut]:
    """Results that could be measured only before."""
    return [
        LeftOut(
            what=f"{what_was_measured(other)} ({other.value:.3f} before)",
            why="measured before only",
        )
        for one, other in zip(now, before, strict=True)
        if one is None and other is not None and other.value is not None
    ]
