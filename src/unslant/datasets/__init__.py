"""Readers of corpora and benchmarks, and the registry of what can be downloaded."""
