"""Pairs of sentences to train and test inference models on, read from the official layouts."""

from unslant.datasets.nli.read import Splits, read_corpus
from unslant.datasets.nli.values import Corpus, Sentences

__all__ = ["Corpus", "Sentences", "Splits", "read_corpus"]
