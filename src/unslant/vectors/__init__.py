"""Spaces: word vectors read safely and quickly from any common file, or encoded sentences."""

from unslant.vectors.given import GivenSpace, GivenVectors, space_from, vectors_from
from unslant.vectors.load import load
from unslant.vectors.space import Found, SentenceEncoder, SentenceSpace, Space
from unslant.vectors.vocabulary import CASE_POLICIES, Vocabulary
from unslant.vectors.wordvectors import WordVectors

__all__ = [
    "CASE_POLICIES",
    "Found",
    "GivenSpace",
    "GivenVectors",
    "SentenceEncoder",
    "SentenceSpace",
    "Space",
    "Vocabulary",
    "WordVectors",
    "load",
    "space_from",
    "vectors_from",
]
