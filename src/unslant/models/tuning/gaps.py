"""Sentences with one word masked, and the pieces whose probabilities are compared there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import UnslantError
from unslant.models.language.tokens import Tokens
from unslant.models.tuning.batches import Ids, Padded, padded
from unslant.models.tuning.word_sentences import Counter, Sentences, WordSentence


@dataclass(frozen=True, eq=False)
class Gaps:
    """Masked sentences, each with the place of its gap."""

    shown: Padded
    at: tuple[Ids, Ids]

    def __len__(self) -> int:
        return len(self.shown)


def masked(some: Sequence[WordSentence], gap: int) -> Gaps:
    """Sentences with the pieces of their word, which is one, as a gap."""
    batch = padded([each.pieces.ids for each in some])
    places = np.array([each.pieces.word[0] for each in some], np.int64)
    rows = np.arange(len(some), dtype=np.int64)
    batch.ids[rows, places] = gap
    return Gaps(batch, (rows, places))


def of_one_piece(words: Sequence[str], tokens: Tokens) -> dict[str, int]:
    """The words that are a single piece in a sentence, with its number."""
    found = {}
    for word, pieces in zip(words, tokens.of([f"the [[{word}]]" for word in words]), strict=True):
        if len(pieces.word) == 1:
            found[word] = int(pieces.ids[pieces.word[0]])
    return found


def piece_pairs(concept: Concept, table: str, tokens: Tokens) -> list[tuple[int, int]]:
    """The pairs of a table whose words are two single pieces; of a row of more words, all pairs."""
    rows = [[str(cell) for cell in row] for row in concept.table(table).rows]
    known = of_one_piece(list(dict.fromkeys(word for row in rows for word in row)), tokens)
    found = [
        (known[one], known[other])
        for row in rows
        for one, other in combinations(row, 2)
        if one in known and other in known and known[one] != known[other]
    ]
    if not found:
        raise UnslantError(
            f'No pair of "{table}" in the concept "{concept.name}" consists of two single pieces '
            f"of this model. Name another table (pairs=…)."
        )
    return list(dict.fromkeys(found))


def prone(text: Sentences, grouped: Sequence[str], targets: Sequence[str]) -> Iterator[str]:
    """Sentences with a target word and exactly one group word."""
    of_groups, of_targets = Counter(grouped), Counter(targets)
    for sentence in text.read():
        if len(of_groups.of(sentence)) == 1 and of_targets.of(sentence):
            yield sentence


def ungrouped(text: Sentences, grouped: Sequence[str]) -> Iterator[str]:
    """Sentences without a group word."""
    of_groups = Counter(grouped)
    return (sentence for sentence in text.read() if not of_groups.of(sentence))
