"""The tables of the five source documents, ours beside published: docs/papers/.

    python -m experiments.papers VECTORS --work DIR     computes what needs no training
    python -m experiments.papers                        writes the pages from what is committed

One module for each document turns results (experiments/results) and published numbers
(experiments/published) into the tables of its page and into promises that are checked.
"""
