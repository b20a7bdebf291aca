"""Fit ``a | b(k=2) | c``, each method on the result of the previous one."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, cast, overload

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.errors import UnslantError
from unslant.core.expression import Step
from unslant.core.files import Progress
from unslant.core.version import __version__
from unslant.erasers import Eraser, Stage
from unslant.measures.registry import VOCABULARY
from unslant.methods.chains import GivenChain, chain_of, lineage_name, method_of
from unslant.methods.method import DEBIASERS, FitSetting
from unslant.methods.streaming import ErasedSpace, debiased
from unslant.vectors import GivenSpace, GivenVectors, Space, WordVectors, space_from


def fit(
    expression: GivenChain,
    vectors: GivenSpace,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> Eraser:
    """Fit a method, or several separated by ``|``, and return the frozen eraser.

    The space is one of words (or the path of its file) or, for methods that need no vocabulary,
    any other.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> eraser = fit("linear | misp", load(), concept("gender"))
    >>> str(eraser), eraser.affine[0].shape
    ('linear | misp', (100, 100))
    """
    chain = chain_of(expression, _name_of(vectors))
    subject = concept_from(concept)
    space = space_from(vectors)
    setting = FitSetting(progress=progress)
    if policy is not None:
        setting = FitSetting(policy=policy, progress=progress)
    stages: list[Stage] = []
    for step in chain:
        if stages:
            space = _after(space, Eraser((stages[-1],)), progress)
        stages.append(fitted_stage(step, space, subject, setting))
    return Eraser(tuple(stages))


@overload
def debias(
    expression: GivenChain,
    vectors: GivenVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> WordVectors: ...


@overload
def debias(
    expression: GivenChain,
    vectors: Space,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> WordVectors | ErasedSpace: ...


def debias(
    expression: GivenChain,
    vectors: GivenSpace,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> WordVectors | ErasedSpace:
    """The space after a method or a chain of them, named after the methods.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> print(debias("linear | misp", load(), concept("gender")))
    glove.6B.100d.slice.linear.misp (35,313 words × 100)
    """
    chain = chain_of(expression, _name_of(vectors))  # before anything is loaded
    subject = concept_from(concept)
    space = space_from(vectors)
    return _after(space, fit(chain, space, subject, policy, progress=progress), progress)


def _after(space: Space, eraser: Eraser, progress: Progress | None) -> WordVectors | ErasedSpace:
    if isinstance(space, WordVectors):
        return debiased(space, eraser, progress)
    return ErasedSpace(space, eraser)


def _name_of(vectors: GivenSpace) -> str:
    if isinstance(vectors, str | Path):
        return Path(vectors).name
    return str(getattr(vectors, "name", "word vectors"))


def fitted_stage(step: Step, vectors: Space, concept: Concept, setting: FitSetting) -> Stage:
    """One method of a chain, fitted on a space that meets its needs."""
    method = method_of(step)
    needs = DEBIASERS.entry(step.call.name).facts.needs
    if needs == VOCABULARY and not isinstance(vectors, WordVectors):
        raise UnslantError(
            f"{step.call.name} needs a vocabulary ranked by frequency, and {vectors.name} has "
            f"none. Fit it on word vectors or on the word pieces of a model "
            f"({step.call}@wordpieces), or use linear, misp or leace."
        )
    try:
        fitted = method.fit(cast(Any, vectors), concept, setting)
    except UnslantError as error:
        if step.call.name not in str(error):  # the method being fitted, and those before it
            error.args = (f"{step} on {vectors.name}: {error}",)
        raise
    if not fitted.steps:
        raise UnslantError(f"{step} found nothing to do in {vectors.name}.")
    return Stage(
        method=step,
        name=lineage_name(step),
        steps=fitted.steps,
        removed=fitted.removed,
        parameters={**asdict(cast(Any, method)), **asdict(setting.policy)},
        inputs={
            "vectors": vectors.name,
            "vectors_sha256": vectors.content_hash,
            "concept": concept.name,
            "words_sha256": concept.content_hash,
        },
        words=fitted.words,
        details=fitted.details,
        warnings=fitted.warnings,
        seed=getattr(method, "seed", None),
        version=__version__,
    )
