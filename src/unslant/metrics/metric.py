"""What a metric is, and the one call that runs any of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from unslant.concepts import AssociationTest, Concept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.definition import own_definition
from unslant.core.components import component_from
from unslant.core.errors import UnslantError
from unslant.core.expression import parse_call
from unslant.core.measurement import Measurement
from unslant.core.registry import Entry, Registry
from unslant.core.version import __version__
from unslant.numerics.neighbours import Neighbours, top_cosines
from unslant.vectors import GivenVectors, WordVectors, vectors_from

Subject = Concept | AssociationTest


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What surrounds a measurement and is not a parameter of the metric.

    ``baseline`` is the space before debiasing, for measures that take their words or labels from
    it; without one, the vectors are their own baseline. ``neighbours`` finds the nearest words.
    """

    policy: WordPolicy = field(default_factory=WordPolicy)
    baseline: WordVectors | None = None
    progress: Callable[[str, int, int], None] | None = None
    neighbours: Neighbours = top_cosines


class Metric(Protocol):
    """A frozen dataclass of parameters with one method."""

    def measure(self, vectors: WordVectors, subject: Any, setting: Setting) -> Measurement:
        """Measure a concept, one of its tests, or the vectors alone."""


METRICS: Registry[type[Any]] = Registry("metric", "unslant.metrics")
metric = METRICS.register


def metric_from(expression: str) -> Metric:
    """The metric that an expression such as ``weat(ddof=0)`` names."""
    made: Metric = component_from(METRICS, expression)
    return made


def measure(
    expression: str,
    vectors: GivenVectors,
    subject: Subject | str | Path | None = None,
    policy: WordPolicy | None = None,
    *,
    baseline: GivenVectors | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    neighbours: Neighbours = top_cosines,
) -> Measurement:
    """Measure a concept, or one of its tests, by the metric that ``expression`` names.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> result = measure("weat", load(), concept("gender").test("career-family"))
    >>> round(result.value, 2), result.p.how
    (1.72, 'exact')
    """
    if not isinstance(expression, str):
        raise UnslantError(
            f'Name the metric first, as in us.measure("weat", vectors, test), not '
            f"{type(expression).__name__}."
        )
    made = metric_from(expression)
    if subject is not None and not isinstance(subject, AssociationTest):
        subject = concept_from(subject)
    vectors = vectors_from(vectors)
    baseline = None if baseline is None else vectors_from(baseline)
    entry = METRICS.entry(parse_call(expression).name)
    _check_subject(entry, subject)
    setting = Setting(
        policy=policy or WordPolicy(),
        baseline=baseline,
        progress=progress,
        neighbours=neighbours,
    )
    inputs = {"vectors": vectors.name, "vectors_sha256": vectors.content_hash}
    parameters = {"expression": expression, **asdict(cast(Any, made))}
    if entry.facts["takes"] != "vectors":
        assert subject is not None
        is_test = isinstance(subject, AssociationTest)
        parameters |= {"subject": str(subject) if is_test else subject.name}
        parameters |= asdict(setting.policy)
        inputs["words_sha256"] = subject.content_hash
        if (own := own_definition(subject)) is not None:
            parameters["definition"] = own  # the words may be nowhere else
    if baseline is not None:
        inputs |= {"baseline": baseline.name, "baseline_sha256": baseline.content_hash}
    return replace(
        made.measure(vectors, subject, setting),
        metric=entry.name,
        better=entry.facts["better"],
        parameters=parameters,
        inputs=inputs,
        seed=getattr(made, "seed", None),
        version=__version__,
    )


def _check_subject(entry: Entry[type[Any]], subject: Subject | None) -> None:
    takes = entry.facts["takes"]
    if takes == "test" and isinstance(subject, Concept):
        raise UnslantError(
            f'{entry.name} measures one test of "{subject.name}". Choose one with --test, or in '
            f'Python with us.concept("{subject.name}").test(…): '
            f"{', '.join(subject.tests) or 'it has none'}."
        )
    if takes == "concept" and isinstance(subject, AssociationTest):
        raise UnslantError(
            f'{entry.name} measures a concept, not one of its tests. Leave out "{subject.name}".'
        )
    if takes in ("test", "concept") and subject is None:
        raise UnslantError(f"{entry.name} measures a {takes}; name one.")
