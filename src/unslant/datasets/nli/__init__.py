"""Sentence pairs for training and testing inference models, in the official file formats."""

from unslant.datasets.nli.read import Corpus, SentenceTokens, Splits, read_corpus

__all__ = ["Corpus", "SentenceTokens", "Splits", "read_corpus"]
