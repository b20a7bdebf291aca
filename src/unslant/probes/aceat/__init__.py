"""ACEAT: are names of one group nearer to positive sentences than names of another?"""

from unslant.probes.aceat.corpus import AceatCorpus
from unslant.probes.aceat.probe import Aceat
from unslant.probes.aceat.sentiment import Labeller

__all__ = ["Aceat", "AceatCorpus", "Labeller"]
