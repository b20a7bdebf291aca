"""Tagged sentences as pieces: the first piece of each word carries its tag, the others none."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.augmentation import PERSON, Slot
from unslant.concepts.name_table import NameTable
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.datasets.conll2003 import TaggedSentence
from unslant.models.classifiers.examples import ExampleBatch, Ids, LabelledExamples

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


# Training sentences whose persons have names of known groups (Dutta 2019).


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


NO_TAG = -100
"""The label of pieces that carry no tag."""
_AT_ONCE = 2_000
_NO_NAME = -1


@dataclass(frozen=True, eq=False)
class TaggedBatch(ExampleBatch):
    """``labels`` are texts × pieces. ``names`` is the number of the name that a piece is of, or -1.

    ``groups`` has for each attribute the group of each name.
    """

    names: Ids
    groups: Mapping[str, Ids]


@dataclass(frozen=True, eq=False)
class TaggedExamples(LabelledExamples):
    """Sentences as pieces, with a label and the number of a name for each piece.

    ``firsts`` and ``tags`` say, for sentences that are held out, where each word begins and which
    tag it truly has; training sentences have none.
    """

    names: NDArray[np.int32]
    groups: Mapping[str, Ids]
    firsts: tuple[tuple[int, ...], ...] = ()
    tags: tuple[tuple[str, ...], ...] = ()

    @property
    def content_hash(self) -> str:
        """A hash of the pieces, their labels and names."""
        digest = hashlib.sha256(super().content_hash.encode())
        digest.update(self.names.tobytes())
        for name, groups in self.groups.items():
            digest.update(name.encode() + groups.tobytes())
        return digest.hexdigest()

    def batch(self, rows: Ids) -> TaggedBatch:
        """Some of the sentences, padded to the longest."""
        starts, lengths = self.ends[rows], self.lengths[rows]
        columns = np.arange(int(lengths.max()))
        is_piece = columns < lengths[:, None]
        places = np.where(is_piece, starts[:, None] + columns, 0)

        def padded(table: NDArray[Any], filler: int) -> Ids:
            return np.where(is_piece, table[places], filler).astype(np.int64)

        return TaggedBatch(
            rows,
            padded(self.ids, 0),
            padded(self.parts, 0),
            is_piece,
            padded(self.labels, NO_TAG),
            padded(self.names, _NO_NAME),
            self.groups,
        )

    def taken(self, rows: Ids) -> "TaggedExamples":
        """Some of the sentences."""
        places = np.concatenate([np.arange(self.ends[row], self.ends[row + 1]) for row in rows])
        return replace(
            self,
            ids=self.ids[places],
            parts=self.parts[places],
            ends=np.concatenate([np.zeros(1, np.int64), np.cumsum(self.lengths[rows])]),
            labels=self.labels[places],
            names=self.names[places],
            firsts=tuple(self.firsts[row] for row in rows) if self.firsts else (),
            tags=tuple(self.tags[row] for row in rows) if self.tags else (),
        )


def tagged_examples(
    model: "TransformerModel",
    sentences: Iterable[NamedSentence],
    labels: Sequence[str],
    *,
    longest: int,
    table: NameTable | None = None,
    keep_tags: bool = False,
    progress: Progress | None = None,
) -> tuple[TaggedExamples, dict[str, int]]:
    """Sentences as examples, and how many there are and were left out for their length.

    With a ``table`` the pieces of names in it have their groups. ``keep_tags`` is for sentences
    that are held out.
    """
    number = {label: place for place, label in enumerate(labels)}
    known = {name: place for place, name in enumerate(table.names)} if table else {}
    ids: list[tuple[int, ...]] = []
    tagged: list[list[int]] = []
    named: list[list[int]] = []
    firsts: list[tuple[int, ...]] = []
    tags: list[tuple[str, ...]] = []
    left_out = words_without = 0
    source = iter(sentences)
    while block := list(islice(source, _AT_ONCE)):
        pieces = model.tokens.words([item.sentence.words for item in block])
        for item, found in zip(block, pieces, strict=True):
            if len(found.ids) > longest:
                left_out += 1
                continue
            ids.append(found.ids)
            words_without += found.firsts.count(-1)
            own, names = [NO_TAG] * len(found.ids), [_NO_NAME] * len(found.ids)
            in_iob2 = item.sentence.iob2().tags
            for word, place in enumerate(found.firsts):
                if place >= 0:
                    own[place] = _number(number, in_iob2[word], item.sentence)
                    names[place] = known.get(item.names.get(word, ""), _NO_NAME)
            tagged.append(own)
            named.append(names)
            if keep_tags:
                firsts.append(found.firsts)
                tags.append(in_iob2)
        if progress:
            progress("Splitting into pieces", len(ids), 0)
    if not ids:
        raise UnslantError(
            f"No sentence has at most {longest} pieces. Use a larger [[longest|--longest]]."
        )
    plain = LabelledExamples.of(ids, [[0] * len(item) for item in ids], [])
    examples = TaggedExamples(
        plain.ids,
        plain.parts,
        plain.ends,
        np.fromiter((one for row in tagged for one in row), np.int64, len(plain.ids)),
        np.fromiter((one for row in named for one in row), np.int32, len(plain.ids)),
        _groups(table),
        tuple(firsts),
        tuple(tags),
    )
    counts = {"count": len(ids), "too_long": left_out, "words_without_pieces": words_without}
    return examples, counts


def _number(known: Mapping[str, int], tag: str, sentence: TaggedSentence) -> int:
    if tag not in known:
        raise UnslantError(
            f"Line {sentence.line:,} has the tag {tag}, which the training part never has. The "
            f"parts must have the same kinds of entities."
        )
    return known[tag]


def _groups(table: NameTable | None) -> dict[str, Ids]:
    """For each attribute, the number of the group of each name."""
    if table is None:
        return {}
    found = {}
    for attribute in table.attributes:
        groups = table.groups(attribute)
        number = {name: n for n, names in enumerate(groups.values()) for name in names}
        found[attribute] = np.array([number[name] for name in table.names], dtype=np.int64)
    return found
