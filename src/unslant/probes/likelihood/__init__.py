"""Shared parts of the likelihood tests: pairs, scored words, and matched controls."""
