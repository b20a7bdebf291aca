"""What is known of the measures in a record: a glossary for its readers."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from unslant.measures.registry import MEASURES, meaning
from unslant.probes.nli.glossary import measure_facts


def glossary(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The facts of metrics and of measures of probes by their names.

    Each has ``summary``, ``cites``, ``reference``, ``takes`` (test, concept, vectors or probe),
    ``better``, ``range`` and ``misleads``.
    """
    found = {}
    known = {entry.name for entry in MEASURES}
    for name in dict.fromkeys(names):
        if name in known:
            takes = MEASURES.entry(name).facts.takes
            found[name] = {**asdict(meaning(name)), "takes": takes}
            del found[name]["drawn"]
        else:
            found[name] = measure_facts(name)
    return found
