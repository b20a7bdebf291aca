"""Sentences of a text that contain words of a concept, some of them held out."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from unslant.concepts import Concept
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.datasets.corpora import WORD, sentences_of, sentences_with
from unslant.models.language.tokens import Pieces, Tokens, without_marks

FEWEST = 10
"""With fewer sentences than this, training would be about a few sentences."""
_ONE_IN = 5
"""One sentence in so many is held out."""
_TOLD_EVERY = 20_000


@dataclass(frozen=True)
class WordSentence:
    """A sentence in pieces, and the word that it was found for."""

    pieces: Pieces
    word: str


@dataclass(frozen=True)
class Found:
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

    def found(self, given: Iterator[str], words: Sequence[str], what: str) -> Found:
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
        return Found(tuple(train), tuple(held_out), missing)

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
