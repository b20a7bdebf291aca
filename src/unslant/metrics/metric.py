"""What a metric is, and the one call that runs any of them."""

from dataclasses import asdict, replace
from typing import Any, Protocol, cast

from unslant.concepts import AssociationTest, Concept, WordPolicy
from unslant.core.components import component_from
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.core.registry import Registry
from unslant.core.version import __version__
from unslant.vectors import WordVectors

Subject = Concept | AssociationTest


class Metric(Protocol):
    """A frozen dataclass of parameters with one method."""

    def measure(self, vectors: WordVectors, subject: Any, policy: WordPolicy) -> Measurement:
        """Measure a concept, or one of its tests, in these vectors."""


METRICS: Registry[type[Any]] = Registry("metric", "unslant.metrics")
metric = METRICS.register


def metric_from(expression: str) -> Metric:
    """The metric that an expression such as ``weat(ddof=0)`` names."""
    made: Metric = component_from(METRICS, expression)
    return made


def measure(
    expression: str, vectors: WordVectors, subject: Subject, policy: WordPolicy | None = None
) -> Measurement:
    """Measure a concept, or one of its tests, by the metric that ``expression`` names.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> result = measure("weat", load(), concept("gender").test("career-family"))
    >>> round(result.value, 2), result.p.how
    (1.72, 'exact')
    """
    made = metric_from(expression)
    entry = METRICS.entry(expression.split("(")[0].strip())
    takes = entry.facts["takes"]
    if takes == "test" and isinstance(subject, Concept):
        raise UnslantError(
            f'{entry.name} measures one test. Choose one of "{subject.name}" with --test: '
            f"{', '.join(subject.tests) or 'it has none'}."
        )
    if takes == "concept" and isinstance(subject, AssociationTest):
        raise UnslantError(
            f'{entry.name} measures a concept, not one of its tests. Leave out "{subject.name}".'
        )
    policy = policy or WordPolicy()
    return replace(
        made.measure(vectors, subject, policy),
        parameters={
            "expression": expression,
            "subject": str(subject) if takes == "test" else subject.name,
            **asdict(cast(Any, made)),
            **asdict(policy),
        },
        inputs={
            "vectors": vectors.name,
            "vectors_sha256": vectors.content_hash,
            "words_sha256": subject.content_hash,
        },
        seed=getattr(made, "seed", None),
        version=__version__,
    )
