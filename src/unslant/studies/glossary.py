"""What is known of the measures in a record: a glossary for its readers."""

from collections.abc import Iterable
from typing import Any

from unslant.core.references import reference
from unslant.metrics import METRICS
from unslant.probes.nli.glossary import measure_facts


def glossary(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The facts of metrics and of measures of probes by their names.

    Each has ``summary``, ``cites``, ``reference``, ``takes`` (test, concept, vectors or probe),
    ``better``, ``range`` and ``misleads``.
    """
    metrics = {entry.name: entry for entry in METRICS}
    found = {}
    for name in dict.fromkeys(names):
        entry = metrics.get(name)
        if entry is None:
            found[name] = measure_facts(name)
        else:
            said = {"summary": entry.summary, "cites": entry.cites}
            found[name] = {**said, "reference": reference(entry.cites), **entry.facts}
    return found
