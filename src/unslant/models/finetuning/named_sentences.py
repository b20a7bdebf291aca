"""Training sentences in which persons have names of known groups (Dutta 2019)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from unslant.concepts.augmentation import PERSON, Slot
from unslant.concepts.name_table import NameTable
from unslant.datasets.conll2003 import TaggedSentence


@dataclass(frozen=True)
class NamedSentence:
    """A sentence, and for each word that is of a known name, that name."""

    sentence: TaggedSentence
    names: Mapping[int, str] = field(default_factory=dict)


def as_they_are(sentences: Iterable[TaggedSentence]) -> Iterator[NamedSentence]:
    """The sentences of a corpus with their own names, whose groups are not known."""
    return map(NamedSentence, sentences)


def with_drawn_names(
    sentences: Iterable[TaggedSentence],
    table: NameTable,
    rng: np.random.Generator,
    *,
    copies: int = 1,
    with_own: bool = False,
    kind: str = PERSON,
) -> Iterator[NamedSentence]:
    """Every sentence with a person ``copies`` times, every person with a name drawn from a table.

    If ``with_own``, it also comes with its own names: a tagger that meets a few names only forgets
    all others.

    Persons of a sentence get different names as far as there are enough. Sentences without a
    person come once, as they are. Dutta (2019) made 40 copies, one for each name, and replaced one
    person in each; the groups of the others were then unknown.
    """
    for sentence in sentences:
        mentions = sentence.spans(kind)
        if not mentions:
            yield NamedSentence(sentence)
            continue
        if with_own:
            yield NamedSentence(sentence)
        for _ in range(copies):
            yield _renamed(sentence, table, rng, kind)


def _renamed(
    sentence: TaggedSentence, table: NameTable, rng: np.random.Generator, kind: str
) -> NamedSentence:
    count = len(sentence.spans(kind))
    drawn = rng.choice(len(table), count, replace=count > len(table)).tolist()
    names: dict[int, str] = {}
    for number, place in enumerate(drawn):
        name = table.names[place]
        # The mentions are replaced from the first to the last, so those before keep their places.
        filled = Slot(sentence, 0, (sentence.spans(kind)[number],)).filled(name)
        sentence = filled.sentence
        [span] = filled.spans
        names |= dict.fromkeys(range(span.first, span.last + 1), name)
    return NamedSentence(sentence, names)
