"""Shell completion: names of methods, measures and tests."""

from typing import Any

import typer

from unslant.cli.components import completing
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.measures.registry import metrics as known_metrics
from unslant.measures.registry import probes as known_probes
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.subspaces.estimator import ESTIMATORS

_DEFAULT = "gender"

metrics = completing(known_metrics)
"""Metrics, with their parameters after a bracket."""

probes = completing(known_probes)
directions = completing(lambda: ESTIMATORS)

_one_method = completing(lambda: [*DEBIASERS, *TUNINGS])


def methods(incomplete: str) -> list[str]:
    """Methods, also the next one of a chain: ``hard | mi`` becomes ``hard | misp``.

    >>> methods("hard | mi")
    ['hard | misp']
    """
    done, bar, last = incomplete.rpartition("|")
    start = f"{done}{bar} " if bar else ""
    return [f"{start}{name}" for name in _one_method(last.lstrip())]


def tests(context: typer.Context, incomplete: str) -> list[str]:
    """The tests of the concept that was named before."""
    given: Any = context.params.get("concept_name") or _DEFAULT
    try:
        names = concept(given).tests
    except UnslantError:
        return []
    return [name for name in names if name.startswith(incomplete)]
