"""Figures drawn from records: one kind of picture a file."""
