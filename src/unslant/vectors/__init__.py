"""Word vectors: one immutable value, read safely and quickly from any common file."""

from unslant.vectors.given import GivenVectors, vectors_from
from unslant.vectors.load import load
from unslant.vectors.lookup import CASE_POLICIES, Found
from unslant.vectors.vocabulary import Vocabulary
from unslant.vectors.wordvectors import WordVectors

__all__ = [
    "CASE_POLICIES",
    "Found",
    "GivenVectors",
    "Vocabulary",
    "WordVectors",
    "load",
    "vectors_from",
]
