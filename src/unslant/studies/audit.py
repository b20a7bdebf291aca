"""An audit: everything that is known about one concept in one set of vectors."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from unslant.concepts import AssociationTest, Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.definition import own_definition
from unslant.core.comparison import what_was_measured
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.expression import Call, parse_call
from unslant.core.measurement import Measurement
from unslant.core.provenance import provenance
from unslant.datasets.registry import MissingDatasetError
from unslant.metrics import measure
from unslant.numerics.multiplicity import benjamini_hochberg, holm
from unslant.studies.glossary import glossary
from unslant.studies.nothing_measured import refuse_nothing
from unslant.studies.record import Recorded
from unslant.subspaces import stability
from unslant.vectors import GivenVectors, WordVectors, vectors_from

Step = Callable[[str, int, int], None]
Job = tuple[Call, Concept | AssociationTest | None]
GivenJob = tuple[str | Call, Concept | AssociationTest | None]

ON_TESTS = (
    "weat",
    "sc-weat",
    "single-attribute-weat",
    "generalised-weat",
    "ect",
    "rnd",
    "mac",
    "bat",
)
"""Measured on every association test of a concept, WEAT first."""

QUALITY = (
    "similarity(dataset=rg-65)",
    "similarity(dataset=wordsim-353)",
    "similarity(dataset=simlex-999)",
    "similarity(dataset=men)",
    "similarity(dataset=mturk-287)",
    "similarity(dataset=mturk-771)",
    "analogy(dataset=google)",
    "analogy(dataset=msr)",
)
"""What the vectors are good for, measured where the data are present."""


_FETCH = (
    "their data are not here; fetch them with: unslant data fetch all — or set UNSLANT_DATA to a "
    "folder that holds them"
)


class Audit(Recorded):
    """The record of an audit."""


def audit(
    vectors: GivenVectors,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    baseline: GivenVectors | None = None,
    quality: bool = True,
    jobs: Sequence[GivenJob] | None = None,
    step: Step | None = None,
) -> Audit:
    """Measure a concept by its association tests, its neutral words and its own measures.

    With a ``baseline`` (the space before debiasing, say) everything is measured there too, and
    the report puts both side by side where they used the same words. Words that the vectors lack
    are dropped and listed, unless the policy says otherwise: an audit has many tests, and one
    absent name should not hide the others. ``jobs`` says what to measure in place of everything.
    """
    concept = concept_from(concept)
    vectors = vectors_from(vectors)
    baseline = None if baseline is None else vectors_from(baseline)
    policy = policy or WordPolicy(missing="drop")
    is_whole = jobs is None
    if jobs is None:
        jobs = jobs_of(concept, quality=quality, refitted=baseline is not None)
    spaces = [vectors] if baseline is None else [vectors, baseline]
    left_out: list[dict[str, str]] = []
    measured = [_measured(space, jobs, policy, baseline, left_out, step) for space in spaces]
    if any(subject is not None for _, subject in jobs):
        refuse_nothing(vectors, concept, policy, measured[0], left_out)
    return Audit(
        {
            "kind": "unslant audit 2",
            "vectors": _facts(vectors),
            "baseline": _facts(baseline) if baseline is not None else None,
            "concept": {
                "name": concept.name,
                "title": concept.title,
                "about": concept.about,
                "groups": list(concept.groups),
                "caveats": list(concept.caveats),
                "direction": concept.direction,
                "words_sha256": concept.content_hash,
                "definition": own_definition(concept),
            },
            "policy": {"missing": policy.missing, "case": policy.case},
            "measurements": measured[0],
            "before": measured[1] if baseline is not None else [],
            "corrections": _corrections(measured[0]),
            "direction": _direction(vectors, concept, policy) if is_whole else None,
            "stability": _stability(vectors, concept, policy, left_out) if is_whole else [],
            "left_out": left_out,
            "debiasing": None,
            "metrics": glossary(item["metric"] for item in measured[0]),
            "provenance": provenance(),
        }
    )


def jobs_of(concept: Concept, *, quality: bool = True, refitted: bool = False) -> list[Job]:
    """What an audit of this concept measures, in the order of the report.

    Direct bias is measured along the direction of the baseline, and with ``refitted`` also along
    the one estimated anew, beside it.
    """
    jobs: list[Job] = [(Call(name), test) for name in ON_TESTS for test in concept.tests.values()]
    if concept.direction:
        directions = ((), (("of", "refitted"),)) if refitted else ((),)
        jobs += [
            (Call("direct-bias", kwargs=(("neutral", name), *of)), concept)
            for of in directions
            for name in concept.neutral
        ]
    jobs += [(parse_call(text), concept) for text in concept.measures]
    return jobs + [(parse_call(text), None) for text in QUALITY if quality]


def _measured(
    vectors: WordVectors,
    jobs: Sequence[GivenJob],
    policy: WordPolicy,
    baseline: WordVectors | None,
    left_out: list[dict[str, str]],
    step: Step | None,
) -> list[dict[str, Any]]:
    done = []
    failed: dict[str, list[str]] = {}  # what could not be measured, by the reason
    for number, (call, subject) in enumerate(jobs):
        if step:
            step(f"Measuring {vectors.name}", number, len(jobs))
        try:
            found = measure(call, vectors, subject, policy, baseline=baseline)
            plain = found.to_dict()
            plain["parameters"].pop("definition", None)  # the record has it once, of the concept
            done.append(plain)
        except MissingDatasetError:
            failed.setdefault(_FETCH, []).append(str(call))
        except UnslantError as error:
            if policy.missing == "fail" and isinstance(error, MissingWordsError):
                raise
            what = f"{call} on {subject.name}" if subject else str(call)
            failed.setdefault(str(error), []).append(what)
    left_out += [
        {"what": f"{vectors.name}: {', '.join(whats)}", "why": why} for why, whats in failed.items()
    ]
    return done


def _facts(vectors: WordVectors) -> dict[str, Any]:
    return {
        "name": vectors.name,
        "words": len(vectors),
        "dim": vectors.dim,
        "content_sha256": vectors.content_hash,
        "zero_vectors": vectors.count_zero_vectors(),
        "origin": vectors.origin,
    }


def _corrections(measured: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """For each metric with p-values, those corrected for the number of its tests."""
    corrected = {}
    for name in dict.fromkeys(item["metric"] for item in measured):
        family = [item for item in measured if item["metric"] == name and item["p"]]
        if family:
            p_values = [item["p"]["value"] for item in family]
            ids = [what_was_measured(Measurement.from_dict(item)) for item in family]
            corrected[name] = {
                "holm": dict(zip(ids, holm(p_values).tolist(), strict=True)),
                "benjamini-hochberg": dict(
                    zip(ids, benjamini_hochberg(p_values).tolist(), strict=True)
                ),
            }
    return corrected


def _direction(vectors: WordVectors, concept: Concept, policy: WordPolicy) -> dict[str, Any] | None:
    """How the variance falls off in the words of the direction in use, where there is one."""
    if concept.direction is None:
        return None
    try:
        return _compared(vectors, concept, policy, concept.direction)
    except UnslantError:  # what is wrong with it, direct bias and the stability say
        return None


def _stability(
    vectors: WordVectors, concept: Concept, policy: WordPolicy, left_out: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """How the direction in use compares with each alternative that these vectors allow."""
    rows = []
    for expression in concept.alternatives:
        try:
            rows.append(_compared(vectors, concept, policy, expression))
        except UnslantError as error:
            left_out.append({"what": f"stability against {expression}", "why": str(error)})
    return rows


def _compared(
    vectors: WordVectors, concept: Concept, policy: WordPolicy, expression: str
) -> dict[str, Any]:
    [row] = stability(vectors, concept, others=(expression,), policy=policy)
    several = {name: list(getattr(row, name)) for name in ("ratios", "explained", "chance")}
    return {**asdict(row), **several}
