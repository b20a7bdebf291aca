"""Sentences about persons with other names in place of theirs, one at a time.

A sentence with several persons has one slot for each mention, and only that mention is replaced,
as Dutta (2019) did; or, with ``mentions="all"``, one slot in which the same name replaces every
mention. The whole mention is replaced, however many words it has, by the name, which keeps its tag.
A name takes capitals where the mention was in capitals, as in headlines; otherwise it keeps its own
casing. Nothing else in the sentence changes: neither pronouns nor titles.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from unslant.datasets.conll2003 import Span, TaggedSentence

PERSON = "PER"
MASK = "[NAME]"
"""What Dutta (2019) put in place of names before asking for the sentiment of a sentence."""

Mentions = Literal["each", "all"]

_CAPITALS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True)
class Filled:
    """A sentence with a name in a slot, and where in it the name is."""

    sentence: TaggedSentence
    name: str
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The words, with a space between each."""
        return str(self.sentence)

    def characters(self) -> tuple[tuple[int, int], ...]:
        """The character span of each inserted name."""
        words = self.sentence.words
        spans = []
        for first, last, _ in self.spans:
            start = sum(len(word) + 1 for word in words[:first])
            spans.append((start, start + len(" ".join(words[first : last + 1]))))
        return tuple(spans)


@dataclass(frozen=True)
class Slot:
    """One or several mentions of persons in a sentence, which a name can replace.

    ``number`` is that of the sentence among all that were given, from 0.
    """

    sentence: TaggedSentence
    number: int
    mentions: tuple[Span, ...]

    def filled(self, name: str) -> Filled:
        """The sentence with a name in the slot.

        >>> sentence = TaggedSentence(("Mr", "Lee", "won", "."), ("O", "I-PER", "O", "O"))
        >>> filled = Slot(sentence, 0, sentence.spans()).filled("Tia")
        >>> filled.text, filled.spans, filled.characters()
        ('Mr Tia won .', (Span(first=1, last=1, kind='PER'),), ((3, 6),))
        """
        sentence, spans, moved = self.sentence, [], 0
        for first, last, kind in self.mentions:
            given = name.upper() if self._is_in_capitals(first, last) else name
            old = Span(first + moved, last + moved, kind)
            sentence, new = sentence.replaced(old, given.split())
            spans.append(new)
            moved += new.last - old.last
        return Filled(sentence, name, tuple(spans))

    def _is_in_capitals(self, first: int, last: int) -> bool:
        """Whether a mention is all capitals; single letters are initials and do not say."""
        mention = " ".join(self.sentence.words[first : last + 1])
        return mention.isupper() and _CAPITALS.search(mention) is not None


def masked(sentence: TaggedSentence, mask: str = MASK, kind: str = PERSON) -> str:
    """The text of a sentence with a mask in place of every person.

    >>> masked(TaggedSentence(("Ann", "Lee", "won"), ("I-PER", "I-PER", "O")))
    '[NAME] won'
    """
    for span in reversed(sentence.spans(kind)):
        sentence, _ = sentence.replaced(span, mask.split())
    return str(sentence)


def slots(
    sentences: Iterable[TaggedSentence], *, mentions: Mentions = "each", kind: str = PERSON
) -> Iterator[Slot]:
    """The slots of every sentence with a person."""
    for number, sentence in enumerate(sentences):
        found = sentence.spans(kind)
        if mentions == "each":
            yield from (Slot(sentence, number, (span,)) for span in found)
        elif found:
            yield Slot(sentence, number, found)


def augmented(
    sentences: Iterable[TaggedSentence],
    names: Iterable[str],
    *,
    mentions: Mentions = "each",
    kind: str = PERSON,
) -> Iterator[Filled]:
    """Every slot filled with every name; one sentence is in memory at a time."""
    names = tuple(names)
    for slot in slots(sentences, mentions=mentions, kind=kind):
        yield from map(slot.filled, names)
