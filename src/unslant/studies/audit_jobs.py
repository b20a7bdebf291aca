"""What an audit measures, in the order of its report."""

from unslant.concepts import AssociationTest, Concept
from unslant.core.expression import Call, parse_call
from unslant.measures.registry import Takes, metrics

Job = tuple[Call, Concept | AssociationTest | None]
"""A metric and what it is measured on; None for the vectors alone."""

GivenJob = tuple[str | Call, Concept | AssociationTest | None]
"""The same with the metric as text."""

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
"""What the vectors are good for, measured if the data are installed."""


def jobs_of(concept: Concept, *, quality: bool = True, refitted: bool = False) -> list[Job]:
    """What an audit of this concept measures; metrics of other packages come after ours.

    Direct bias is measured along the direction of the baseline, and with ``refitted`` also along
    the one estimated again after debiasing.
    """
    jobs: list[Job] = [
        (Call(name), test)
        for name in (*ON_TESTS, *_plugins("test"))
        for test in concept.tests.values()
    ]
    if concept.direction:
        directions = ((), (("of", "refitted"),)) if refitted else ((),)
        jobs += [
            (Call("direct-bias", kwargs=(("neutral", name), *of)), concept)
            for of in directions
            for name in concept.neutral
        ]
    jobs += [(parse_call(text), concept) for text in (*concept.measures, *_plugins("concept"))]
    if not quality:
        return jobs
    return jobs + [(parse_call(text), None) for text in (*QUALITY, *_plugins("vectors"))]


def _plugins(takes: Takes) -> list[str]:
    return [
        entry.name
        for entry in metrics()
        if entry.facts.takes == takes and not entry.component.__module__.startswith("unslant.")
    ]
