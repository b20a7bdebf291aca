"""Sentence pairs for training and testing inference models, in the official file formats."""

from unslant.datasets.nli.read import Splits, read_corpus
from unslant.datasets.nli.values import Corpus, Sentences

__all__ = ["Corpus", "Sentences", "Splits", "read_corpus"]
