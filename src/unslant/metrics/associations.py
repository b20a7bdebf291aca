"""Which words metrics take from a test or concept, and the cosines between sets of them."""

import numpy as np

from unslant.concepts import AssociationTest, Concept, WordSets, resolve
from unslant.concepts.wordsets import sentence_sets
from unslant.core.errors import UndefinedMeasureError, UnknownNameError
from unslant.core.types import Array
from unslant.measures.setting import Setting
from unslant.vectors import Space


def sets_of(
    space: Space, test: AssociationTest, setting: Setting, *, each: str = "word"
) -> WordSets:
    """All target and attribute sets of a test; a balanced policy balances each kind.

    In a test of sentences ``each`` row is a word, or a sentence.
    """
    lists = {**test.targets, **test.attributes}
    if len(lists) < len(test.targets) + len(test.attributes):
        raise UndefinedMeasureError(f"{test} has a target and an attribute with the same name.")
    words = {name: item.all_words for name, item in lists.items()}
    balance = (tuple(test.targets), tuple(test.attributes))
    if test.items == "sentences":
        return sentence_sets(space, test, setting.policy, balance=balance, each=each)
    return resolve(space, words, setting.policy, balance=balance)


def two_of(test: AssociationTest, kind: str, metric: str) -> tuple[str, str]:
    """The names of the two target sets or attribute sets that a metric compares."""
    names = tuple(getattr(test, kind))
    if len(names) != 2:
        raise UndefinedMeasureError(
            f"{metric} compares two {kind}, but {test} has {len(names)}. Choose another test."
        )
    return names


def one_of(test: AssociationTest, name: str) -> str:
    """The target set with that name, or the first if none is given."""
    if name and name not in test.targets:
        raise UnknownNameError(f"target set of {test}", name, test.targets)
    return name or next(iter(test.targets))


def neutral_list(concept: Concept, name: str, metric: str) -> str:
    """The list of neutral words with that name, or the concept's first if none is given."""
    if not concept.neutral:
        raise UndefinedMeasureError(
            f'The concept "{concept.name}" has no neutral words, which {metric} needs.'
        )
    return name or next(iter(concept.neutral))


def refuse_overlap(sets: WordSets, first: str, second: str) -> None:
    """Raise an error if two sets that are compared share a word."""
    both = [item for item in sets.items[first] if item in set(sets.items[second])]
    if both:
        raise UndefinedMeasureError(
            f'"{both[0]}" is in both "{first}" and "{second}", so it cannot distinguish them. '
            f"Remove it from one of them."
        )


def cosines(sets: WordSets, rows: str, columns: str) -> Array:
    """The cosine of every word in one set with every word in another."""
    return np.clip(sets.directions(rows) @ sets.directions(columns).T, -1.0, 1.0)
