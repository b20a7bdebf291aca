"""The Equity Evaluation Corpus: does a sentiment score depend on who a sentence is about?"""

from unslant.probes.eec.corpus import Corpus, corpus
from unslant.probes.eec.probe import Eec

__all__ = ["Corpus", "Eec", "corpus"]
