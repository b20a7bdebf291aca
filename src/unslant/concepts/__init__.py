"""Concepts as data: groups, word lists and association tests, each with its source."""

from unslant.concepts.concept import AssociationTest, Concept
from unslant.concepts.read import GivenConcept, bundled_concepts, concept
from unslant.concepts.wordlists import Source, WordList, wordlist
from unslant.concepts.wordsets import WordPolicy, WordSets, resolve

__all__ = [
    "AssociationTest",
    "Concept",
    "GivenConcept",
    "Source",
    "WordList",
    "WordPolicy",
    "WordSets",
    "bundled_concepts",
    "concept",
    "resolve",
    "wordlist",
]
