"""Classifiers and small networks that methods train."""
