"""The Equity Evaluation Corpus: does a sentiment score depend on who a sentence is about?"""

from unslant.probes.eec.corpus import EecCorpus, corpus
from unslant.probes.eec.probe import Eec

__all__ = ["Eec", "EecCorpus", "corpus"]
