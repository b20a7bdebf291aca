"""The measures of an audit, in report order."""

from collections.abc import Sequence

from unslant.concepts import AssociationTest, Concept
from unslant.core.expression import Call, parse_call
from unslant.core.record import LeftOut
from unslant.measures.registry import MEASURES, VOCABULARY, Takes, metrics
from unslant.vectors import Space, WordVectors

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

QUALITY_OF_SENTENCES = ("relatedness(dataset=sick-trial)",)
"""The same for spaces that encode any text; the longer file takes nine times as long."""


def jobs_of(
    concept: Concept, *, quality: bool = True, refitted: bool = False, of_texts: bool = False
) -> list[Job]:
    """The audit jobs of this concept; metrics of other packages come after ours.

    Direct bias is measured along the direction of the baseline, and with ``refitted`` also along
    the one estimated again after debiasing. A space ``of_texts`` also encodes sentences.
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
    texts = (*QUALITY, *(QUALITY_OF_SENTENCES if of_texts else ()), *_plugins("vectors"))
    return jobs + [(parse_call(text), None) for text in texts]


def measurable(jobs: Sequence[GivenJob], space: Space) -> tuple[Sequence[GivenJob], list[LeftOut]]:
    """The jobs that a space supports, and one line about those that need a vocabulary."""
    if isinstance(space, WordVectors):
        return jobs, []
    kept: list[GivenJob] = []
    unmet: dict[str, None] = {}
    for call, subject in jobs:
        name = (parse_call(call) if isinstance(call, str) else call).name
        if MEASURES.entry(name).traits["needs"] == VOCABULARY:
            unmet[name] = None
        else:
            kept.append((call, subject))
    why = "they need a vocabulary ranked by frequency; measure the word pieces of a model "
    why += "(MODEL@wordpieces), or word averages over a corpus"
    return kept, [LeftOut(what=", ".join(unmet), why=why)] if unmet else []


def _plugins(takes: Takes) -> list[str]:
    return [
        entry.name for entry in metrics() if entry.traits["takes"] == takes and not entry.is_ours
    ]
