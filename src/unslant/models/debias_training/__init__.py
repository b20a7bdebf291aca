"""Debiasing that trains a language model: each method is named and chained like any other."""
