"""Fit ``a | b(k=2) | c``, each method on the result of the previous one."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.errors import UnslantError
from unslant.core.expression import Step
from unslant.core.files import Progress
from unslant.core.version import __version__
from unslant.erasers import Eraser, Stage
from unslant.methods.chains import GivenChain, chain_of, lineage_name, method_of
from unslant.methods.method import FitSetting
from unslant.methods.streaming import debiased
from unslant.vectors import GivenVectors, WordVectors, vectors_from


def fit(
    expression: GivenChain,
    vectors: GivenVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> Eraser:
    """Fit a method, or several separated by ``|``, and return the frozen eraser.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> eraser = fit("linear | misp", load(), concept("gender"))
    >>> str(eraser), eraser.affine[0].shape
    ('linear | misp', (100, 100))
    """
    chain = chain_of(expression, _name_of(vectors))
    subject = concept_from(concept)
    vectors = vectors_from(vectors)
    setting = FitSetting(progress=progress)
    if policy is not None:
        setting = FitSetting(policy=policy, progress=progress)
    stages: list[Stage] = []
    for step in chain:
        if stages:
            vectors = debiased(vectors, Eraser((stages[-1],)), progress)
        stages.append(_fitted(step, vectors, subject, setting))
    return Eraser(tuple(stages))


def debias(
    expression: GivenChain,
    vectors: GivenVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    progress: Progress | None = None,
) -> WordVectors:
    """The vectors after a method or a chain of them, named after the methods.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> print(debias("linear | misp", load(), concept("gender")))
    glove.6B.100d.slice.linear.misp (35,313 words × 100)
    """
    chain = chain_of(expression, _name_of(vectors))  # before anything is loaded
    subject = concept_from(concept)
    vectors = vectors_from(vectors)
    return debiased(vectors, fit(chain, vectors, subject, policy, progress=progress), progress)


def _name_of(vectors: GivenVectors) -> str:
    if isinstance(vectors, str | Path):
        return Path(vectors).name
    return vectors.name if isinstance(vectors, WordVectors) else "word vectors"


def _fitted(step: Step, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Stage:
    method = method_of(step)
    try:
        found = method.fit(vectors, concept, setting)
    except UnslantError as error:
        if step.call.name not in str(error):  # what was being fitted, and after which methods
            error.args = (f"{step} on {vectors.name}: {error}",)
        raise
    if not found.steps:
        raise UnslantError(f"{step} found nothing to do in {vectors.name}.")
    return Stage(
        method=step,
        name=lineage_name(step),
        steps=found.steps,
        removed=found.removed,
        parameters={**asdict(cast(Any, method)), **asdict(setting.policy)},
        inputs={
            "vectors": vectors.name,
            "vectors_sha256": vectors.content_hash,
            "concept": concept.name,
            "words_sha256": concept.content_hash,
        },
        words=found.words,
        details=found.details,
        warnings=found.warnings,
        seed=getattr(method, "seed", None),
        version=__version__,
    )
