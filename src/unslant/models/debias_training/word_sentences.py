"""Sentences of a text that contain words of a concept, in padded batches, and with words masked."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.types import Mask
from unslant.datasets.corpora import WORD, sentences_of, sentences_with
from unslant.models.language.tokens import Pieces, Tokens, without_marks

# Sentences of a text that contain words of a concept, some of them held out.

FEWEST = 10
"""With fewer sentences than this, training would be about a few sentences."""
_ONE_IN = 5
"""One sentence in this many is held out."""
_TOLD_EVERY = 20_000


@dataclass(frozen=True)
class WordSentence:
    """A sentence in pieces, and the word that it was found for."""

    pieces: Pieces
    word: str


@dataclass(frozen=True)
class FoundSentences:
    """Sentences to train on, and held-out ones; no sentence is in both."""

    train: tuple[WordSentence, ...]
    held_out: tuple[WordSentence, ...]
    missing: tuple[str, ...]
    """Words that no sentence was found for."""


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """A text, and how much of it may be read."""

    path: Path
    tokens: Tokens
    sentences: int
    longest: int
    most: int
    seed: int
    progress: Progress | None = None

    def read(self) -> Iterator[str]:
        """The sentences of the text."""
        for number, text in enumerate(islice(sentences_of(self.path), self.sentences), 1):
            yield text
            if self.progress and number % _TOLD_EVERY == 0:
                self.progress(f"Looking for words in {self.path.name}", number, 0)

    def found(self, given: Iterator[str], words: Sequence[str], what: str) -> FoundSentences:
        """Up to ``most`` sentences for each word, as pieces."""
        kept = sentences_with(given, words, most=self.most, seed=self.seed)
        pairs = [(marked, word) for word, some in kept.items() for marked in some]
        longest = min(self.longest, self.tokens.most)
        plain = [without_marks(marked) for marked, _ in pairs]
        fits = [len(spans) <= longest for spans in self.tokens.spans(plain)]
        pairs = [pair for pair, fit in zip(pairs, fits, strict=True) if fit]
        pieces = self.tokens.of([marked for marked, _ in pairs])
        parts: tuple[list[WordSentence], list[WordSentence]] = [], []
        for (marked, word), item in zip(pairs, pieces, strict=True):
            parts[is_held_out(without_marks(marked))].append(WordSentence(item, word))
        train, held_out = parts
        self.check(what, train, held_out)
        there = {each.word for each in train}
        missing = tuple(word for word in words if word not in there)
        return FoundSentences(tuple(train), tuple(held_out), missing)

    def check(
        self, what: str, train: Sequence[WordSentence], held_out: Sequence[WordSentence]
    ) -> None:
        """Refuse a text with too few sentences to train on, or none to hold out."""
        if len(train) < FEWEST or not held_out:
            raise UnslantError(
                f"The first {self.sentences:,} sentences of {self.path} have {len(train)} with "
                f"{what} to train on and {len(held_out)} to hold out, of at most {self.longest} "
                f"pieces; at least {FEWEST} and 1 are needed. Use a longer text, or other words."
            )


def is_held_out(text: str) -> bool:
    """Whether a sentence is held out, which depends on its letters alone.

    >>> is_held_out("She came.") == is_held_out("She came.")
    True
    """
    return hashlib.sha256(text.encode()).digest()[0] % _ONE_IN == 0


def group_words(concept: Concept) -> Mapping[str, tuple[str, ...]]:
    """The words of each group."""
    found = {group: tuple(item.all_words) for group, item in concept.members.items()}
    if len(found) < 2:
        raise UnslantError(f'The concept "{concept.name}" has no words of two groups.')
    return found


def words_of_lists(concept: Concept, named: str, but: set[str]) -> tuple[str, ...]:
    """The words of lists of a concept, named as ``one+other``, without some of them.

    Without a name they are the concept's first list of neutral words.
    """
    names = [name.strip() for name in named.split("+")] if named else list(concept.neutral)[:1]
    if not names:
        raise UnslantError(
            f'The concept "{concept.name}" has no neutral words. Name lists of words that should '
            f"be neutral, as in targets=occupations."
        )
    words = dict.fromkeys(word for name in names for word in concept.list(name).all_words)
    return tuple(word for word in words if word.lower() not in but)


class Counter:
    """Says which words of some lists a text contains."""

    def __init__(self, words: Sequence[str]) -> None:
        lowered = [word.lower() for word in words]
        self.plain = {word for word in lowered if WORD.fullmatch(word)}
        self.phrases = [word for word in lowered if word not in self.plain]

    def of(self, text: str) -> list[str]:
        """The words of the lists in the text, as often as they occur."""
        lowered = text.lower()
        found = [match[0] for match in WORD.finditer(lowered) if match[0] in self.plain]
        return found + [phrase for phrase in self.phrases if phrase in lowered]


# Sentences as padded batches, drawn so that each comes once before any comes again.

Ids = NDArray[np.int64]

Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PaddedPieces:
    """Sentences × pieces, padded on the right.

    ``word`` is how much each piece counts for its sentence's marked word: 1/n for each of its n
    pieces, and 0 for all others.
    """

    ids: Ids
    is_piece: Mask
    word: Weights

    def __len__(self) -> int:
        return len(self.ids)


def padded(sentences: Sequence[Sequence[int]], words: Sequence[Sequence[int]] = ()) -> PaddedPieces:
    """Sentences of any lengths in one batch; ``words`` are the places of marked words."""
    shape = len(sentences), max(map(len, sentences))
    ids, is_piece = np.zeros(shape, np.int64), np.zeros(shape, bool)
    weights = np.zeros(shape, np.float32)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        is_piece[row, : len(sentence)] = True
    for row, places in enumerate(words):
        weights[row, list(places)] = 1 / len(places)
    return PaddedPieces(ids, is_piece, weights)


def in_turns(total: int, start: int, count: int, seed: int, purpose: str) -> Ids:
    """Items ``start`` to ``start + count`` of random orders of all, one after the other.

    >>> sorted(in_turns(5, 0, 5, 0, "doctest")) == sorted(in_turns(5, 5, 5, 0, "doctest"))
    True
    """
    found: list[Ids] = []
    while count:
        turn, place = divmod(start, total)
        order = generator(seed, "tuning", purpose, f"turn {turn}").permutation(total)
        part = order[place : place + count]
        found.append(part)
        start, count = start + len(part), count - len(part)
    return np.concatenate(found)


# Sentences with one word masked, and the pieces whose probabilities are compared there.


@dataclass(frozen=True, eq=False)
class Gaps:
    """Masked sentences, each with the place of its gap."""

    shown: PaddedPieces
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
