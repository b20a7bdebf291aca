"""The group that a text refers to, by its group words; examples with the groups of their texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.concept import Concept
from unslant.concepts.read import GivenConcept, concept
from unslant.concepts.swap.finder import Finder
from unslant.concepts.swap.table import SwapTable, table_of
from unslant.concepts.swap.tokens import tokens_of, without_clitic
from unslant.core.errors import ConceptError, UnslantError
from unslant.core.files import Progress
from unslant.models.classifiers.examples import LabelledExamples

# To which group of a concept a text refers, by its group words.


def protected_classes(
    texts: Iterable[str], given: GivenConcept, names: bool = True
) -> NDArray[np.int64]:
    """The number of the one group that each text refers to, from 0; -1 for none or several.

    In a concept of two groups with words that can be swapped, a word counts if the swap would
    change it; otherwise the words and names in the concept's lists count, unless several groups
    have them. With ``names=False`` first names are passed over.

    >>> protected_classes(["She sat.", "A man sat.", "He met her.", "It rains."], "gender").tolist()
    [0, 1, -1, -1]
    """
    item = concept(given)
    groups_of = _groups_of(item, names)
    found = (groups_of(text) for text in texts)
    return np.array([each.pop() if len(each) == 1 else -1 for each in found], dtype=np.int64)


def _groups_of(item: Concept, names: bool) -> Callable[[str], set[int]]:
    if len(item.groups) == 2:
        return _by_swap(table_of(item), item.groups, names)
    if len(item.groups) < 2:
        raise ConceptError(f"{item.name} has no groups that a text could refer to.")
    return _by_lists(item, names)


def _by_swap(table: SwapTable, groups: tuple[str, ...], names: bool) -> Callable[[str], set[int]]:
    finder = Finder(table, names)
    first = groups.index(table.groups[0])
    known = table.first_words | (table.first_group - table.words.keys())

    def groups_of(text: str) -> set[int]:
        found = set()
        for word in finder.words_of(text):
            if word.is_changed:
                lower = word.old.lower().replace("’", "'")
                base = without_clitic(lower)[0]
                own = {lower, base, base.rstrip("'")}
                found.add(first if own & known else 1 - first)
        return found

    return groups_of


def _by_lists(item: Concept, names: bool) -> Callable[[str], set[int]]:
    owners: dict[str, set[int]] = {}
    for place, group in enumerate(item.groups):
        for lists in (item.words, item.names if names else {}):
            for word in lists[group].words if group in lists else ():
                owners.setdefault(word.lower(), set()).add(place)
    alone = {word: next(iter(places)) for word, places in owners.items() if len(places) == 1}
    if not alone:
        raise ConceptError(f"{item.name} has no words or names of its groups to find in texts.")

    def groups_of(text: str) -> set[int]:
        words = (token.lower for token in tokens_of(text) if token.is_word)
        every = (alone.get(word, alone.get(without_clitic(word)[0])) for word in words)
        return {place for place in every if place is not None}

    return groups_of


# Examples with the groups that their texts refer to, for adversaries and judges.

_AT_ONCE = 10_000


def groups_of(attributes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The groups of each attribute, which is the name of a concept."""
    return {name: concept(name).groups for name in attributes}


def with_groups(
    examples: LabelledExamples,
    texts: Sequence[str],
    clusters: Sequence[str],
    attributes: Sequence[str],
    progress: Progress | None = None,
) -> tuple[LabelledExamples, Mapping[str, Any]]:
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


def check_groups(examples: LabelledExamples, part: str) -> None:
    """Refuse examples that never mention one of the groups of an attribute."""
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
