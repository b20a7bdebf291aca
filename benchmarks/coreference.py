"""Resolving the sentences of SoWinoBias together against one document at a time.

Both use the model in the package and must find the same clusters.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster

ROWS = 1_024
AT_LEAST = 5.0


def run(scratch: Path, sentences: int = ROWS) -> list[Result]:
    """The time for the first sentences of the set."""
    try:
        import torch  # noqa: F401
    except ImportError:
        say("coreference: left out, because torch is not installed")
        return []
    ours, theirs = measure(
        Contender(together, sentences), Contender(one_at_a_time, sentences), runs=2
    )
    if ours.answer != theirs.answer:
        raise SystemExit(f"coreference: {ours.answer} spans together, {theirs.answer} one by one")
    name = f"resolving {sentences:,} sentences"
    return [faster(name, ours.seconds, "one document at a time", theirs.seconds, AT_LEAST)]


def together(sentences: int) -> Callable[[], int]:
    """How many spans are in clusters, all documents resolved in one call."""
    model, documents = _model_and_documents(sentences)
    return lambda: sum(len(c) for clusters in model.resolve(documents) for c in clusters)


def one_at_a_time(sentences: int) -> Callable[[], int]:
    """The same with a call for each document."""
    model, documents = _model_and_documents(sentences)
    return lambda: sum(len(c) for each in documents for c in model.resolve([each])[0])


def _model_and_documents(sentences: int) -> tuple[Any, list[list[str]]]:
    from unslant.models.coreference.trained import builtin_coref
    from unslant.probes.sowinobias.probe import sentences as made
    from unslant.vectors import load

    rows = made(is_sampled=False, seed=0).rows[:sentences]
    return builtin_coref().on(load()), [row[0].split() for row in rows]
