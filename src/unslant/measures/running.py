"""The single entry point for running a measure: check the input, stamp the result."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from unslant.concepts import AssociationTest, Concept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.read import own_definition
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, parse_call
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.registry import Entry
from unslant.core.version import __version__
from unslant.measures.registry import MEASURES, VOCABULARY, Declared, measure_from
from unslant.measures.setting import Findings, Setting
from unslant.numerics.neighbours import Neighbours, top_cosines
from unslant.vectors import GivenSpace, SentenceSpace, Space, WordVectors, space_from

Subject = Concept | AssociationTest


def measure(
    expression: str | Call,
    space: GivenSpace,
    subject: Subject | str | Path | None = None,
    policy: WordPolicy | None = None,
    *,
    baseline: GivenSpace | None = None,
    progress: Progress | None = None,
    neighbours: Neighbours = top_cosines,
    values_only: bool = False,
) -> Measurement:
    """Measure a concept, or one of its tests, by the metric that ``expression`` names.

    The space is one of words (or the path of its file) or one of sentences (``us.space``). With
    ``values_only``, which controls need many times, measures may leave out all but the value.

    >>> from unslant.concepts import concept
    >>> from unslant.vectors import load
    >>> result = measure("weat", load(), concept("gender").test("career-family"))
    >>> round(result.value, 2), result.p.how
    (1.72, 'exact')
    """
    if not isinstance(expression, str | Call):
        raise UnslantError(
            f'Name the metric first, as in us.measure("weat", vectors, test), not '
            f"{type(expression).__name__}."
        )
    if policy is not None and not isinstance(policy, WordPolicy):
        raise UnslantError(
            f'Expected a policy such as us.WordPolicy(missing="drop"), not {policy!r:.60}.'
        )
    call = parse_call(expression) if isinstance(expression, str) else expression
    entry = MEASURES.entry(call.name)
    if entry.facts.is_probe:
        raise UnslantError(
            f'{entry.name} is a probe, which asks a model. Use us.probe("{expression}", …), or '
            f"unslant probe {entry.name}."
        )
    if subject is not None and not isinstance(subject, AssociationTest):
        subject = concept_from(subject)
    space = _examined(entry, space)
    baseline = None if baseline is None else _examined(entry, baseline)
    _check_subject(entry, subject)
    setting = Setting(
        policy=policy or WordPolicy(),
        baseline=baseline,
        progress=progress,
        neighbours=neighbours,
        values_only=values_only,
    )
    parameters: dict[str, Any] = {}
    if entry.facts.takes != "vectors":
        assert subject is not None
        is_test = isinstance(subject, AssociationTest)
        parameters |= {"subject": str(subject) if is_test else subject.name}
        parameters |= asdict(setting.policy)
        if (own := own_definition(subject)) is not None:
            parameters["definition"] = own  # the words may be nowhere else
    [measurement] = run(
        call, space, subject, setting, parameters=parameters, inputs={}, text=str(expression)
    ).measurements
    # Afterwards, because the hash of a sentence space covers the sentences encoded so far.
    inputs = {"vectors": space.name, "vectors_sha256": space.content_hash}
    if entry.facts.takes != "vectors" and subject is not None:
        inputs["words_sha256"] = subject.content_hash
    if baseline is not None:
        inputs |= {"baseline": baseline.name, "baseline_sha256": baseline.content_hash}
    return replace(measurement, inputs={**inputs, **measurement.inputs})


def run(
    call: Call,
    resource: Any,
    subject: Any,
    setting: Setting,
    *,
    parameters: Mapping[str, Any],
    inputs: Mapping[str, str],
    text: str = "",
) -> Findings:
    """Run a measure and stamp what it found with all that it takes to do it again."""
    measure = measure_from(call)
    declared = MEASURES.entry(call.name).facts
    findings = measure.run(resource, subject, setting)
    if isinstance(findings, Measurement):
        findings = Findings(measurements=(replace(findings, metric=call.name),))
    stamp = {"expression": text or str(call), **asdict(cast(Any, measure)), **parameters}
    return replace(
        findings,
        measurements=tuple(
            _stamped(item, declared, stamp, inputs, getattr(measure, "seed", None))
            for item in findings.measurements
        ),
    )


def _stamped(
    found: Measurement,
    declared: Declared,
    parameters: Mapping[str, Any],
    inputs: Mapping[str, str],
    seed: int | None,
) -> Measurement:
    return replace(
        found,
        better=declared.score(found.metric).better.text,
        parameters={**parameters, **found.parameters},
        inputs={**inputs, **found.inputs},
        seed=seed,
        version=__version__,
    )


def _examined(entry: Entry[Declared], given: GivenSpace) -> Space:
    """The requested space, if it meets the need of the measure."""
    space = space_from(given)
    if entry.facts.takes == "vectors":
        space = getattr(space, "texts", space)  # whole texts, which need no context
    if entry.facts.needs == VOCABULARY and not isinstance(space, WordVectors):
        raise UnslantError(
            f"{entry.name} needs a vocabulary ranked by frequency, and {space.name} has none. "
            f"Measure word vectors: load a file with us.load, or make them with "
            f"us.WordVectors.of({{word: vector, …}}), the most frequent word first."
        )
    return space.unasked() if isinstance(space, SentenceSpace) else space


def _check_subject(entry: Entry[Declared], subject: Subject | None) -> None:
    takes = entry.facts.takes
    if takes == "test" and isinstance(subject, Concept):
        raise UnslantError(
            f'{entry.name} measures one test of "{subject.name}". Choose one with '
            f'[[us.concept("{subject.name}").test(…)|--test]]: '
            f"{', '.join(subject.tests) or 'it has none'}."
        )
    if takes == "concept" and isinstance(subject, AssociationTest):
        raise UnslantError(
            f'{entry.name} measures a concept, not one of its tests. Leave out "{subject.name}".'
        )
    if takes in ("test", "concept") and subject is None:
        raise UnslantError(f"{entry.name} measures a {takes}; name one.")
