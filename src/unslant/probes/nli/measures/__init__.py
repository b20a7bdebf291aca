"""What is measured of the answers to a set, one file each."""

from unslant.probes.nli.measures.change import changes
from unslant.probes.nli.measures.control import against_controls
from unslant.probes.nli.measures.extremes import Example, extremes, furthest
from unslant.probes.nli.measures.families import measures_for, measures_of
from unslant.probes.nli.measures.groups import GroupAnswer, group_answers
from unslant.probes.nli.measures.measure import Measure
from unslant.probes.nli.measures.records import measured
from unslant.probes.nli.measures.tables import Average, averages, mean_answer

__all__ = [
    "Average",
    "Example",
    "GroupAnswer",
    "Measure",
    "against_controls",
    "averages",
    "changes",
    "extremes",
    "furthest",
    "group_answers",
    "mean_answer",
    "measured",
    "measures_for",
    "measures_of",
]
