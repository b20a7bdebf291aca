"""Tag every name in every slot, a block of sentences at a time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.augmentation import Filled, Slot, slots
from unslant.concepts.name_table import CROSSED
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.datasets.conll2003 import Span, TaggedSentence
from unslant.predictors.protocols import Tagger, entity_tags
from unslant.probes.person_mentions import NamedPersons

# The sentences with a person that names are put into, and the names.

CITES = "mehrabi-2020"

Groupings = dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class NameSwapSet(NamedPersons):
    """Mentions of persons × names, and by which attributes the names are compared."""

    by: tuple[str, ...] = ()

    drawn_for: ClassVar[str] = "name swap"

    def slots(self) -> Iterator[Slot]:
        """Every mention of a person; ``number`` counts the sentences that are used."""
        return slots(self.sentences(), kind=self.kind)

    @cached_property
    def groupings(self) -> Groupings:
        """For each way to group the names, the names of each group."""
        table = self.names
        every = list(table.attributes)
        if len(every) > 1:
            every.append(CROSSED.join(every))
        found = {by: table.groups(by) for by in (self.by or every)}
        for by, groups in found.items():
            if len(groups) < 2:
                raise UnslantError(
                    f"{table.title} has one group by {by}. Expected at least two groups of names."
                )
        return found

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title="Names in place of the persons of a corpus",
            about="Each name in place of each person, one mention at a time, and whether a tagger "
            "still finds a person there.",
            groups=self.groups,
            references=(reference(CITES), reference("dutta-2019")),
            sha256=self.content_hash,
            facts=dict(self.facts()),
        )


WORDS_IN_A_BLOCK = 32_768
"""About a thousand sentences; a block is the most that is in memory."""
EXACT, PARTLY, NOTHING = "the name as a person", "a person with other words", "nothing"
_MOST_KINDS = 1 << 15

Codes = NDArray[np.uint16]


@dataclass(frozen=True)
class Tagged:
    """For each slot and name the number of an outcome in ``outcomes``; the first two are a person.

    ``own`` are the outcomes of the names that the corpus has. ``sentences`` is the number of the
    sentence of each slot, which is the same for neighbours.
    """

    outcomes: tuple[str, ...]
    codes: Codes
    own: Codes
    sentences: NDArray[np.int64]
    asked: int


@dataclass
class Tagging:
    """One pass of a tagger over a set.

    Slots of the same sentence at the same position are tagged once, wherever they occur;
    so is a sentence that several slots of a block lead to.
    """

    tagger: Tagger
    persons: frozenset[str]
    outcomes: list[str] = field(default_factory=lambda: [EXACT, PARTLY, NOTHING])
    asked: int = 0

    def of(self, swaps: NameSwapSet, progress: Progress | None = None) -> Tagged:
        """Every slot with every name, and with its own."""
        names = swaps.names.names
        known: dict[bytes, int] = {}
        rows: list[Codes] = []
        numbers: list[int] = []
        sentences: list[int] = []
        for block in _blocks(swaps):
            new = {key: slot for slot in block if (key := _key(slot)) not in known}
            fresh = self._codes(list(new.values()), names)
            for key, row in zip(new, fresh, strict=True):
                known[key] = len(rows)
                rows.append(row)
            numbers += [known[_key(slot)] for slot in block]
            sentences += [slot.number for slot in block]
            if progress:
                progress("Tagging sentences with other names", sentences[-1] + 1, len(swaps))
        codes = np.stack(rows)[numbers]
        return Tagged(
            tuple(self.outcomes),
            codes[:, 1:],
            codes[:, 0],
            np.array(sentences, dtype=np.int64),
            self.asked,
        )

    def _codes(self, block: Sequence[Slot], names: Sequence[str]) -> Codes:
        """Slots × the own name and all others."""
        filled = [
            item
            for slot in block
            for item in (
                Filled(slot.sentence, "", slot.mentions),
                *map(slot.filled, names),
            )
        ]
        if not filled:
            return np.empty((0, len(names) + 1), dtype=np.uint16)
        distinct = list(dict.fromkeys(item.sentence.words for item in filled))
        self.asked += len(distinct)
        tags = dict(zip(distinct, entity_tags(self.tagger, distinct), strict=True))
        found = [self._code(item.spans[0], item.sentence.words, tags) for item in filled]
        return np.array(found, dtype=np.uint16).reshape(len(block), len(names) + 1)

    def _code(
        self,
        name: Span,
        words: tuple[str, ...],
        tags: dict[tuple[str, ...], tuple[str, ...]],
    ) -> int:
        spans = TaggedSentence(words, tags[words]).spans()
        outcome = outcome_of(name, spans, self.persons)
        if outcome not in self.outcomes:
            if len(self.outcomes) > _MOST_KINDS:
                raise UnslantError("The tagger returns too many different kinds of entities.")
            self.outcomes.append(outcome)
        return self.outcomes.index(outcome)


def outcome_of(name: Span, spans: Sequence[Span], persons: frozenset[str]) -> str:
    """The outcome for a name: exact match, partial or larger person, another kind, or not found.

    Of several other kinds it is the one with most of the name's words, the first of equals.

    >>> outcome_of(Span(1, 1, "PER"), [Span(1, 1, "LOC")], frozenset({"PER"}))
    'LOC'
    """
    meeting = [span for span in spans if span.first <= name.last and name.first <= span.last]
    for span in meeting:
        if (span.first, span.last) == (name.first, name.last) and span.kind in persons:
            return EXACT
    if any(span.kind in persons for span in meeting):
        return PARTLY
    if not meeting:
        return NOTHING
    shared = [min(span.last, name.last) - max(span.first, name.first) for span in meeting]
    return meeting[shared.index(max(shared))].kind


def _blocks(swaps: NameSwapSet) -> Iterator[list[Slot]]:
    block: list[Slot] = []
    words = 0
    for slot in swaps.slots():
        block.append(slot)
        words += len(slot.sentence.words) * (len(swaps.names) + 1)
        if words >= WORDS_IN_A_BLOCK:
            yield block
            block, words = [], 0
    if block:
        yield block


def _key(slot: Slot) -> bytes:
    text = f"{slot.sentence.words} {slot.mentions}"
    return hashlib.sha256(text.encode()).digest()[:16]
