"""What is known of the measures in a record: a glossary for its readers."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from unslant.measures.registry import MEASURES, meaning


def glossary(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The facts of metrics and of scores of probes by their names.

    Each has ``summary``, ``cites``, ``reference``, ``takes`` (test, concept, vectors or probe),
    ``better``, ``range`` and ``misleads``.
    """
    found = {}
    known = {entry.name: entry.facts.takes for entry in MEASURES if not entry.facts.is_probe}
    for name in dict.fromkeys(names):
        facts = asdict(meaning(name))
        del facts["drawn"]
        found[name] = {**facts, "takes": known.get(name, "probe")}
    return found
