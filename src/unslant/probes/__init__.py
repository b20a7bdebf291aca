"""Probes: test sets whose right answer is known, asked of a model, and scored."""
