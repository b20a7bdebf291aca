"""A concept whose items are sentences: its words put into contexts.

Two sentences made of one row of a table and one context differ only in the group, so that every
estimator and method for word pairs works on sentence pairs.
"""

import hashlib
from dataclasses import replace

from unslant.concepts.concept import Concept, Lists
from unslant.concepts.contexts import Contexts
from unslant.concepts.wordlists import WordList


def in_contexts(concept: Concept, contexts: Contexts) -> Concept:
    """The concept with every word of its groups, names and tables in every context, marked."""
    together = f"{concept.content_hash}\n{contexts.content_hash}"
    return replace(
        concept,
        content_hash=hashlib.sha256(together.encode()).hexdigest(),
        words=_lists(concept.words, contexts),
        names=_lists(concept.names, contexts),
        sets=_lists(concept.sets, contexts),
    )


def _lists(lists: Lists, contexts: Contexts) -> dict[str, WordList]:
    return {name: _list(item, contexts) for name, item in lists.items()}


def _list(item: WordList, contexts: Contexts) -> WordList:
    """Each word, or row of words, once for every context."""
    words = [text for word in item.words for text in contexts.of(word)]
    rows = [
        tuple(contexts.of(str(cell))[number] for cell in row)
        for row in item.rows
        for number in range(len(contexts))
    ]
    return replace(item, words=tuple(words), rows=tuple(rows))
