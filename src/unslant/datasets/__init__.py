"""Readers of corpora and benchmarks, and the registry of downloadable files."""
