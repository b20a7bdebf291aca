"""Pipelines of spaCy as taggers, for probes; spaCy is an optional extra."""

from unslant.models.spacy.folder import is_spacy_folder
from unslant.models.spacy.tagger import SpacyTagger, load_spacy

__all__ = ["SpacyTagger", "is_spacy_folder", "load_spacy"]
