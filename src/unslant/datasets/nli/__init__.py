"""Sentence pairs for training and testing inference models, in the official file formats."""

from unslant.datasets.nli.corpus import Corpus, Sentences
from unslant.datasets.nli.read import Splits, read_corpus

__all__ = ["Corpus", "Sentences", "Splits", "read_corpus"]
