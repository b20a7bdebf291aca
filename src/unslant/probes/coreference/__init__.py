"""Shared parts of coreference probes: querying a model, and comparing pairs of sentences."""
