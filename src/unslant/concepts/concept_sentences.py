"""Concepts whose items are sentences: words put into contexts, or sentences of a corpus."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from unslant.concepts.concept import Concept, Lists
from unslant.concepts.contexts import Contexts
from unslant.concepts.wordlists import WordList
from unslant.core.errors import ConceptError
from unslant.datasets.corpora import WORD, Corpus, sentences_with

# A concept whose items are sentences: its words put into contexts.
#
# Two sentences made of one row of a table and one context differ only in the group, so that every
# estimator and method for word pairs works on sentence pairs.


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


# A concept whose items are sentences of a corpus, each with partners for the other groups.
#
# A sentence that contains one word of a table becomes a row of sentences that differ only in that
# word. One that contains another word of the groups is left out, because "he … his" would become
# "she … his" (fault F37 of the published code).

FEWEST = 10
"""With fewer sentences than this a direction would be that of a few sentences."""


def in_corpus(concept: Concept, corpus: Corpus, *, most: int = 100, seed: int = 0) -> Concept:
    """The concept with its tables in sentences of a corpus, up to ``most`` for each word.

    One pass through the corpus, however large, with bounded memory. The words of the groups are
    the sentences of the first table that has a column for each group.
    """
    tables = {name: table for name, table in concept.sets.items() if len(table.columns) > 1}
    words = sorted({str(cell) for table in tables.values() for row in table.rows for cell in row})
    if not words:
        raise ConceptError(
            f'A corpus needs pairs of words to swap, but "{concept.name}" has none. Add a table '
            f"under [sets], or use contexts instead."
        )
    sentences = sentences_with(corpus, words, most=most, seed=seed)
    lists = [item for kind in (concept.words, concept.names) for item in kind.values()]
    grouped = {word.lower() for item in lists for word in item.all_words}
    grouped |= {word.lower() for word in words}
    sets = {
        name: replace(table, rows=tuple(_rows(table, sentences, grouped)))
        for name, table in tables.items()
    }
    sets = {name: table for name, table in sets.items() if len(table.rows) >= FEWEST}
    if not sets:
        raise ConceptError(
            f"The corpus has fewer than {FEWEST} sentences with one word of the pairs of "
            f'"{concept.name}" and no other word of its groups. Use a larger corpus.'
        )
    digest = hashlib.sha256(concept.content_hash.encode())
    for table in sets.values():
        digest.update("\n".join(str(cell) for row in table.rows for cell in row).encode())
    columns = _group_lists(concept, next(iter(sets.values())))
    return replace(
        concept, content_hash=digest.hexdigest(), sets=sets, words=columns or concept.words
    )


def _rows(
    table: WordList, found: Mapping[str, tuple[str, ...]], grouped: set[str]
) -> Iterator[tuple[str, ...]]:
    """Each sentence of each word, with that word and with its partners."""
    for row in table.rows:
        for cell in row:
            for marked in found.get(str(cell), ()):
                before, _, rest = marked.partition("[[")
                word, _, after = rest.partition("]]")
                others = (match[0].lower() for match in WORD.finditer(f"{before} {after}"))
                if any(other in grouped for other in others):
                    continue
                yield tuple(f"{before}[[{_as(word, str(part))}]]{after}" for part in row)


def _as(pattern: str, word: str) -> str:
    """A word in the case of another."""
    return word.capitalize() if pattern[:1].isupper() and word[:1].islower() else word


def _group_lists(concept: Concept, table: WordList) -> dict[str, WordList]:
    """The columns of a table as the words of the groups, if it has a column for each."""
    if any(group not in table.columns for group in concept.groups):
        return {}
    return {group: table.column(group) for group in concept.groups}
