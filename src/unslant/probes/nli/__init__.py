"""Template pairs whose right answer is known, asked of an inference model and measured."""

from unslant.probes.nli.activities import bundled_pairings
from unslant.probes.nli.answers import Answers, ask
from unslant.probes.nli.export import export
from unslant.probes.nli.known_words import lacking, with_known_words
from unslant.probes.nli.measures import (
    Average,
    Example,
    GroupAnswer,
    Measure,
    against_controls,
    averages,
    changes,
    extremes,
    furthest,
    group_answers,
    mean_answer,
    measured,
    measures_for,
    measures_of,
)
from unslant.probes.nli.of_concept import pair_set_of
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.sets import bundled_sets, pair_set
from unslant.probes.nli.slices import restricted, sampled

__all__ = [
    "Answers",
    "Average",
    "Example",
    "GroupAnswer",
    "Measure",
    "PairSet",
    "against_controls",
    "ask",
    "averages",
    "bundled_pairings",
    "bundled_sets",
    "changes",
    "export",
    "extremes",
    "furthest",
    "group_answers",
    "lacking",
    "mean_answer",
    "measured",
    "measures_for",
    "measures_of",
    "pair_set",
    "pair_set_of",
    "restricted",
    "sampled",
    "with_known_words",
]
