"""Examples with the groups that their texts refer to, for adversaries and judges."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unslant.concepts import concept
from unslant.concepts.protected import protected_classes
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.models.finetuning.examples import Examples

_AT_ONCE = 10_000


def groups_of(attributes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The groups of each attribute, which is the name of a concept."""
    return {name: concept(name).groups for name in attributes}


def with_groups(
    examples: Examples,
    texts: Sequence[str],
    clusters: Sequence[str],
    attributes: Sequence[str],
    progress: Progress | None = None,
) -> tuple[Examples, Mapping[str, Any]]:
    """The examples with the group of each text, and how many there are of each.

    Examples with the same word in ``clusters`` are not independent.
    """
    found = {}
    for name in attributes:
        parts = []
        for start in range(0, len(texts), _AT_ONCE):
            parts.append(protected_classes(texts[start : start + _AT_ONCE], name))
            if progress:
                done = min(start + _AT_ONCE, len(texts))
                progress(f"Looking for {name} in texts", done, len(texts))
        found[name] = np.concatenate(parts)
    _, number = np.unique(np.array(clusters, dtype=object), return_inverse=True)
    own = replace(examples, protected=found, clusters=np.asarray(number, np.int64))
    return own, {name: _counts(found[name], name) for name in attributes}


def check_groups(examples: Examples, part: str) -> None:
    """Refuse examples of which none refers to one of the groups of an attribute."""
    for name, classes in examples.protected.items():
        groups = concept(name).groups
        lost = [group for place, group in enumerate(groups) if not (classes == place).any()]
        if lost:
            raise UnslantError(
                f"No {part} example refers to {' or '.join(lost)} alone, so an adversary cannot "
                f"learn {name} here. Use other data or another attribute."
            )


def _counts(classes: Any, name: str) -> dict[str, int]:
    groups = concept(name).groups
    counts = {group: int((classes == place).sum()) for place, group in enumerate(groups)}
    return counts | {"none or several": int((classes < 0).sum())}
