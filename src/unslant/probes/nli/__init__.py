"""Template pairs whose right answer is known, asked of an inference model and measured."""

from unslant.core.nli_exhibits import Average, GroupAnswer
from unslant.probes.nli.activities import bundled_pairings
from unslant.probes.nli.answer_measure import AnswerMeasure
from unslant.probes.nli.answers import Answers, ask
from unslant.probes.nli.extremes import Example, extremes, furthest
from unslant.probes.nli.families import measures_for, measures_of
from unslant.probes.nli.known_words import lacking, pairs_with_vectors, with_known_words
from unslant.probes.nli.measured import measured
from unslant.probes.nli.of_concept import pair_set_of
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.probe import Nli
from unslant.probes.nli.sets import bundled_sets, pair_set
from unslant.probes.nli.slices import restricted, sampled
from unslant.probes.nli.tables import averages, group_answers, mean_answer

__all__ = [
    "AnswerMeasure",
    "Answers",
    "Average",
    "Example",
    "GroupAnswer",
    "Nli",
    "PairSet",
    "ask",
    "averages",
    "bundled_pairings",
    "bundled_sets",
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
    "pairs_with_vectors",
    "restricted",
    "sampled",
    "with_known_words",
]
