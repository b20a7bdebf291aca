"""The sentences with a person that names are put into, and the names."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from unslant.concepts.augmentation import PERSON, Slot, slots
from unslant.concepts.name_table import CROSSED, NameTable
from unslant.core.errors import UnslantError
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.core.seeds import generator
from unslant.datasets.tagged import TaggedSentence
from unslant.probes.aceat.corpus import TaggedSource

CITES = "mehrabi-2020"

Groupings = dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class NameSwapSet:
    """Mentions of persons × names; one sentence is in memory at a time.

    ``limit`` is the number of sentences with a person to use, drawn by the seed; 0 is all.
    """

    source: TaggedSource
    names: NameTable
    by: tuple[str, ...] = ()
    kind: str = PERSON
    limit: int = 0
    seed: int = 0

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.source.name} with {self.names.title}"

    @property
    def concept(self) -> str:
        """What a model is debiased by unless told."""
        return next((one for one in ("gender", "race") if one in self.names.attributes), "")

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many sentences there are, and how many of them have a person."""
        every = with_person = 0
        for sentence in self.source:
            every += 1
            with_person += bool(sentence.spans(self.kind))
        if not with_person:
            raise UnslantError(
                f"{self.source.name} has no sentence with an entity of the kind {self.kind}. Name "
                f"the kind that persons have in it ([[kind=…|--kind]])."
            )
        return every, with_person

    def __len__(self) -> int:
        """How many sentences of the corpus are used."""
        return min(self.counts[1], self.limit or self.counts[1])

    def sentences(self) -> Iterator[TaggedSentence]:
        """The sentences with a person, or the drawn ones among them, one at a time."""
        total = self.counts[1]
        chosen = None
        if 0 < self.limit < total:
            rng = generator(self.seed, "name swap sample", self.source.sha256)
            chosen = set(rng.choice(total, self.limit, replace=False).tolist())
        persons = (sentence for sentence in self.source if sentence.spans(self.kind))
        for number, sentence in enumerate(persons):
            if chosen is None or number in chosen:
                yield sentence

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

    @cached_property
    def content_hash(self) -> str:
        """A hash of the sentences, the names and how both are used."""
        sample = (self.limit, self.seed) if 0 < self.limit < self.counts[1] else ()
        parts = (self.source.sha256, self.names.content_hash, self.kind, sample)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def subject(self) -> Subject:
        """What a record says of it."""
        every, with_person = self.counts
        facts: dict[str, str | int] = {
            "corpus": self.source.name,
            "corpus-sha256": self.source.sha256,
            "sentences": every,
            "sentences-with-a-person": with_person,
            "sentences-used": len(self),
            "names": len(self.names),
            "names-from": self.names.title,
            "entity-kind": self.kind,
        }
        if len(self) < with_person:
            facts["sample"] = f"{len(self):,} of {with_person:,} sentences, seed {self.seed}"
        return Subject(
            kind="set",
            name=self.name,
            title="Names in place of the persons of a corpus",
            about="Each name in place of each person, one mention at a time, and whether a tagger "
            "still finds a person there.",
            groups=tuple(
                group for one in self.names.attributes for group in self.names.groups(one)
            ),
            references=(reference(CITES), reference("dutta-2019")),
            sha256=self.content_hash,
            facts=dict(facts),
        )
