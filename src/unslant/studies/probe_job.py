"""One set put to a model in the same way each time: as it is, treated, and with controls."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.contexts import GivenContexts
from unslant.concepts.read import own_definition
from unslant.core.expression import Call
from unslant.core.files import Progress
from unslant.core.record import Controls, LeftOut, Resource, Subject, Treatment
from unslant.core.registry import Entry
from unslant.measures.registry import Declared
from unslant.measures.setting import Findings, Setting
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.models.language.base import LanguageModel
from unslant.probes.abilities import Remarks
from unslant.studies.at_places import chain_at_places
from unslant.studies.predictor_lookup import Answering, Asker, asker_for
from unslant.studies.random_controls import match_for, random_spaces
from unslant.studies.record import resource_of
from unslant.studies.treated_model import shared_blocks, treated_model
from unslant.studies.treatment import treatment_of
from unslant.studies.tunings import split_training_steps
from unslant.vectors import WordVectors


@dataclass(frozen=True)
class ProbeJob:
    """One set, put to the model of each space in the same way."""

    call: Call
    entry: Entry[Declared]
    made: Any
    asked: Any
    asker: Asker
    policy: WordPolicy
    is_own_set: bool
    progress: Progress | None = None

    def run(
        self, vectors: WordVectors | None, *, values_only: bool = False
    ) -> tuple[Answering, Findings]:
        """The predictor for these vectors, and its scores."""
        by = self.asker.on(vectors, self.progress)
        setting = Setting(policy=self.policy, progress=self.progress, values_only=values_only)
        own = {"set": self.asked.name} if self.is_own_set else {}
        return by, by.findings(self.call, self.asked, setting, parameters=own, inputs=by.inputs)

    def asking(self, model: Any) -> "ProbeJob":
        """The same set for another model."""
        asker = asker_for(
            self.entry, self.made, vectors=None, model=model, scores=None, trainer=None
        )
        return replace(self, asker=asker)

    def subject(self) -> Subject:
        """The questions' entry in the record."""
        if self.asked is not None:
            subject_facts: Subject = self.asked.subject()
            return subject_facts
        return Subject(kind="set", name=self.entry.name, title=self.entry.summary)

    def remarks(
        self, vectors: WordVectors | None, by: Answering
    ) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
        """The probe's notes about words without vectors."""
        if vectors is None or by.reader is None or not isinstance(self.made, Remarks):
            return (), ()
        return self.made.remarks(self.asked, vectors, by.reader)


@dataclass(frozen=True, kw_only=True)
class ProbeAnswers:
    """Findings after a treatment, before it, and with random directions instead."""

    by: Answering
    now: Findings
    vectors: WordVectors | None = None
    baseline: Resource | None = None
    before: Findings | None = None
    random: Sequence[Findings] = ()
    directions: int = 0
    instead: str = ""
    why_none: str = ""
    treatment: Treatment | None = None

    @property
    def controls(self) -> Controls | None:
        """The controls' entry in a record."""
        if self.before is None:
            return None
        return Controls(draws=len(self.random), directions=self.directions, why_none=self.why_none)


def answers_as_they_are(job: ProbeJob, vectors: WordVectors | None, baseline: Any) -> ProbeAnswers:
    """A model, or vectors that one reads, with a ``baseline`` if there is one."""
    by, now = job.run(vectors)
    if baseline is None:
        return ProbeAnswers(by=by, now=now, vectors=vectors)
    earlier_by, before = job.asking(baseline).run(None)
    return ProbeAnswers(by=by, now=now, vectors=vectors, baseline=earlier_by.model, before=before)


def answers_on_vectors(
    job: ProbeJob,
    vectors: WordVectors,
    method: str,
    concept: Concept,
    controls: int | None,
    seed: int,
) -> ProbeAnswers:
    """Vectors after a method; with a number of ``controls``, compared."""
    eraser = fit(method, vectors, concept, job.policy, progress=job.progress)
    after = debiased(vectors, eraser, job.progress)
    by, now = job.run(after)
    treatment = treatment_of(
        eraser,
        concept,
        is_retrained=job.asker.is_retrained,
        definition=own_definition(concept),
    )
    answers = ProbeAnswers(by=by, now=now, vectors=after, treatment=treatment)
    if controls is None:
        return answers
    _, before = job.run(vectors)
    match = match_for(eraser)
    spaces = () if match.why_none else random_spaces(vectors, concept, match, controls, seed)
    return replace(
        answers,
        baseline=resource_of(vectors),
        before=before,
        random=[job.run(space, values_only=True)[1] for space in spaces],
        directions=match.directions,
        why_none=match.why_none,
    )


def answers_in_model(
    job: ProbeJob,
    model: LanguageModel,
    method: str,
    concept: Concept,
    controls: int | None,
    seed: int,
    contexts: GivenContexts | None = None,
) -> ProbeAnswers:
    """A language model with methods at its places; with a number of ``controls``, compared.

    The methods are fitted on words in ``contexts``. All of these models share the blocks before the
    first place, unless some were trained.
    """
    _, rest = split_training_steps(method)
    places = [step.place for step in chain_at_places(rest, model) if step.place is not None]
    with shared_blocks(model, places):
        treated = treated_model(
            method, model, concept, job.policy, contexts=contexts, progress=job.progress
        )
        by, now = job.asking(treated.after).run(None)
        answers = ProbeAnswers(by=by, now=now, treatment=treated.treatment)
        if controls is None:
            return answers
        earlier_by, before = job.asking(model).run(None)
        random = [
            job.asking(other).run(None, values_only=True)[1]
            for other in treated.controls(controls, seed, job.progress)
        ]
    return replace(
        answers,
        baseline=earlier_by.model,
        before=before,
        random=random,
        directions=treated.directions,
        instead=treated.instead,
        why_none=treated.why_no_controls,
    )
