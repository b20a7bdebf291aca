"""Measures: the registry, the declared scores and the runner."""
