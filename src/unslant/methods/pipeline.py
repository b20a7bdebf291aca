"""Fit ``a | b(k=2) | c``, each method on the result of the previous one."""

from dataclasses import asdict
from typing import Any, cast

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.components import component_of
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, parse_chain
from unslant.core.files import Progress
from unslant.core.version import __version__
from unslant.erasers import Eraser, Stage
from unslant.methods.method import DEBIASERS, Debiaser, FitSetting
from unslant.methods.streaming import debiased
from unslant.vectors import GivenVectors, WordVectors, vectors_from


def fit(
    expression: str,
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
    >>> str(eraser), eraser.matrix.shape
    ('linear | misp', (100, 100))
    """
    methods = methods_of(expression)
    calls = parse_chain(expression)
    subject = concept_from(concept)
    vectors = vectors_from(vectors)
    setting = FitSetting(progress=progress)
    if policy is not None:
        setting = FitSetting(policy=policy, progress=progress)
    stages: list[Stage] = []
    for call, method in zip(calls, methods, strict=True):
        if stages:
            vectors = debiased(vectors, Eraser((stages[-1],)), progress)
        stages.append(_fitted(call, method, vectors, subject, setting))
    return Eraser(tuple(stages))


def methods_of(expression: str) -> list[Debiaser]:
    """The methods of a chain, with parameters checked before anything is loaded or fitted."""
    if not isinstance(expression, str):
        raise UnslantError(
            f'Expected a method expression such as "hard | misp", not {expression!r}.'
        )
    return [component_of(DEBIASERS, call) for call in parse_chain(expression)]


def debias(
    expression: str,
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
    methods_of(expression)  # report mistakes before anything is loaded
    subject = concept_from(concept)
    vectors = vectors_from(vectors)
    return debiased(vectors, fit(expression, vectors, subject, policy, progress=progress), progress)


def _fitted(
    call: Call, method: Debiaser, vectors: WordVectors, concept: Concept, setting: FitSetting
) -> Stage:
    try:
        found = method.fit(vectors, concept, setting)
    except UnslantError as error:
        if call.name not in str(error):  # what was being fitted, and after which methods
            error.args = (f"{call} on {vectors.name}: {error}",)
        raise
    if not found.steps:
        raise UnslantError(f"{call} found nothing to do in {vectors.name}.")
    return Stage(
        expression=str(call),
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
