"""The public verbs, for vectors, sentence spaces and language models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from unslant.concepts import AssociationTest, Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.contexts import EVERYDAY, GivenContexts
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, Chain
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.measures import running
from unslant.studies.resources import is_model, loaded_model, model_and_place, model_from, space_of

if TYPE_CHECKING:
    from unslant.datasets.corpora import Corpus
    from unslant.erasers import Eraser
    from unslant.methods.chains import GivenChain
    from unslant.methods.streaming import ErasedSpace
    from unslant.models.language.base import LanguageModel
    from unslant.models.language.interventions import Intervention
    from unslant.studies.resources import Given
    from unslant.vectors import GivenSpace, WordVectors
    from unslant.vectors.keyed import KeyedVectors


def measure(
    expression: str | Call,
    space: Given,
    subject: Concept | AssociationTest | str | Path | None = None,
    policy: WordPolicy | None = None,
    *,
    baseline: Given | None = None,
    contexts: GivenContexts | None = None,
    cache: bool = False,
    progress: Progress | None = None,
) -> Measurement:
    """Measure a concept, or one of its tests, by the metric that ``expression`` names.

    The space is one of words (or the path of its file), one of sentences (``us.space``), or a
    place in a model: ``model.at("layer:-1[cls]")`` or the text ``folder@layer:-1[cls]``. In a
    model, words are put into ``contexts``, by default bleached ones ("This is nurse."), and
    ``cache`` keeps the vectors of its texts on disk.

    >>> import unslant as us
    >>> result = us.measure("weat", us.load(), us.concept("gender").test("career-family"))
    >>> round(result.value, 2), result.p.how
    (1.72, 'exact')
    """
    if is_model(space) or contexts is not None or (baseline is not None and is_model(baseline)):
        if subject is not None and not isinstance(subject, AssociationTest):
            subject = concept_from(subject)
        space = space_of(space, subject, contexts=contexts, cache=cache, progress=progress)
        if baseline is not None:
            baseline = space_of(
                baseline, subject, contexts=contexts, cache=cache, progress=progress
            )
    return running.measure(
        expression,
        _not_model(space),
        subject,
        policy,
        baseline=None if baseline is None else _not_model(baseline),
        progress=progress,
    )


def _not_model(given: Given) -> GivenSpace:
    assert loaded_model(given) is None
    return cast("GivenSpace", given)


@overload
def fit(
    expression: GivenChain,
    given: LanguageModel,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> Intervention: ...


@overload
def fit(
    expression: GivenChain,
    given: WordVectors | KeyedVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> Eraser: ...


@overload
def fit(
    expression: GivenChain,
    given: Any,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> Any: ...


def fit(
    expression: GivenChain,
    given: Any,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> Eraser | Intervention:
    """Fit a method, or several separated by ``|``: an eraser, or erasers at places of a model.

    In a model, methods are fitted on words in ``contexts``, or on sentences of a ``corpus``.

    >>> import unslant as us
    >>> eraser = us.fit("linear | misp", us.load(), "gender")
    >>> str(eraser), eraser.affine[0].shape
    ('linear | misp', (100, 100))
    """
    if is_model(given):
        from unslant.studies.at_places import fit_at_places

        return fit_at_places(
            expression,
            _whole_model(given),
            concept,
            policy,
            contexts=contexts or EVERYDAY,
            corpus=corpus,
            progress=progress,
        )
    _refuse_contexts(contexts, corpus)
    _refuse_tunings(expression, given)
    from unslant.methods import pipeline

    return pipeline.fit(expression, given, concept, policy, progress=progress)


@overload
def debias(
    expression: GivenChain,
    given: LanguageModel,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> LanguageModel: ...


@overload
def debias(
    expression: GivenChain,
    given: WordVectors | KeyedVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> WordVectors: ...


@overload
def debias(
    expression: GivenChain,
    given: Any,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> Any: ...


def debias(
    expression: GivenChain,
    given: Any,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts | None = None,
    corpus: Corpus | None = None,
    progress: Progress | None = None,
) -> WordVectors | ErasedSpace | LanguageModel:
    """The vectors, space or model after a method or chain; the input is unchanged.

    >>> import unslant as us
    >>> print(us.debias("linear | misp", us.load(), "gender"))
    glove.6B.100d.slice.linear.misp (35,313 words × 100)
    """
    if is_model(given):
        from unslant.studies.treated_model import treated_model

        return treated_model(
            _chain_text(expression),
            _whole_model(given),
            concept_from(concept),
            policy,
            contexts=contexts or EVERYDAY,
            corpus=corpus,
            progress=progress,
        ).after
    _refuse_contexts(contexts, corpus)
    _refuse_tunings(expression, given)
    from unslant.methods import pipeline

    after: WordVectors | ErasedSpace = pipeline.debias(
        expression, given, concept, policy, progress=progress
    )
    return after


def _whole_model(given: object) -> LanguageModel:
    if isinstance(given, str) and (named := model_and_place(given)) is not None:
        raise UnslantError(
            f"Name the model alone ({named[0]}), and the place with each method, as in "
            f'"leace@{named[1]}".'
        )
    return model_from(given)


def _refuse_contexts(contexts: GivenContexts | None, corpus: Corpus | None) -> None:
    if contexts is not None or corpus is not None:
        raise UnslantError("Contexts and corpora are for language models, not for vectors.")


def _chain_text(expression: GivenChain) -> GivenChain:
    if not isinstance(expression, str | Chain):
        raise UnslantError(
            f'Expected methods for a model, such as "leace@layer:-1", not '
            f"{type(expression).__name__}."
        )
    return expression


def _refuse_tunings(expression: GivenChain, given: object) -> None:
    if isinstance(expression, str | Chain):
        from unslant.studies.tunings import refuse_tunings

        refuse_tunings(expression, str(getattr(given, "name", "")) or "what is given")
