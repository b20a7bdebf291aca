"""Sentences of a corpus with a person, and the names that are put in the place of persons."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from unslant.concepts.augmentation import PERSON
from unslant.concepts.name_table import NameTable
from unslant.core.errors import UnslantError
from unslant.core.files import data_folder, sha256_of_file
from unslant.core.seeds import generator
from unslant.datasets.conll2003 import Part, TaggedSentence, tagged_file, tagged_sentences

CONLL = "conll2003"
_FOLDER = Path("ner", "conll2003")


@dataclass(frozen=True, kw_only=True)
class TaggedSource:
    """The source of the sentences: a file that is read again each time, or a list."""

    name: str
    sha256: str
    given: Path | tuple[TaggedSentence, ...]

    def __iter__(self) -> Iterator[TaggedSentence]:
        return iter(tagged_sentences(self.given) if isinstance(self.given, Path) else self.given)


@dataclass(frozen=True, kw_only=True)
class NamedPersons:
    """Sentences with a person × names; one sentence is in memory at a time.

    ``limit`` is the number of sentences with a person to use, drawn by the seed; 0 is all.
    """

    source: TaggedSource
    names: NameTable
    kind: str = PERSON
    limit: int = 0
    seed: int = 0

    drawn_for: ClassVar[str]

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.source.name} with {self.names.title}"

    @property
    def concept(self) -> str:
        """The default concept for debiasing."""
        return next((one for one in ("gender", "race") if one in self.names.attributes), "")

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the names, by each attribute."""
        return tuple(group for one in self.names.attributes for group in self.names.groups(one))

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
        """How many sentences are used."""
        return min(self.counts[1], self.limit or self.counts[1])

    @property
    def sample(self) -> tuple[int, ...]:
        """How many sentences are drawn, and by which seed; empty if all are used."""
        return (self.limit, self.seed) if len(self) < self.counts[1] else ()

    def sentences(self) -> Iterator[TaggedSentence]:
        """The sentences with a person, or the drawn ones among them, one at a time."""
        chosen = None
        if self.sample:
            rng = generator(self.seed, f"{self.drawn_for} sample", self.source.sha256)
            chosen = set(rng.choice(self.counts[1], self.limit, replace=False).tolist())
        persons = (sentence for sentence in self.source if sentence.spans(self.kind))
        for number, sentence in enumerate(persons):
            if chosen is None or number in chosen:
                yield sentence

    @cached_property
    def content_hash(self) -> str:
        """A hash of the sentences, the names and how both are used."""
        parts = (self.source.sha256, self.names.content_hash, self.kind, self.sample, *self.ways)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def ways(self) -> tuple[str, ...]:
        """Everything else that determines the questions."""
        return ()

    def facts(self) -> dict[str, str | int]:
        """The corpus and the names' entry in a record."""
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
        if self.sample:
            facts["sample"] = f"{len(self):,} of {with_person:,} sentences, seed {self.seed}"
        return facts


def source_of(corpus: str | Path | Iterable[TaggedSentence], part: Part = "testb") -> TaggedSource:
    """A file of tagged columns, a part of a folder, ``conll2003`` in UNSLANT_DATA, or sentences."""
    if not isinstance(corpus, str | Path):
        given = tuple(corpus)
        text = "\n".join(f"{item.words} {item.tags}" for item in given)
        return TaggedSource(
            name="given sentences", sha256=hashlib.sha256(text.encode()).hexdigest(), given=given
        )
    path = Path(corpus)
    if corpus == CONLL and not path.exists():
        folder = data_folder()
        if folder is None or not (folder / _FOLDER).is_dir():
            raise UnslantError(
                "CoNLL-2003 was not found: its licence forbids to distribute it. Name a file or a "
                "folder with the corpus, or another corpus with tagged columns "
                "([[corpus=…|--corpus PATH]]), or "
                f"set UNSLANT_DATA to a folder that contains {_FOLDER.as_posix()}."
            )
        path = folder / _FOLDER
    file = tagged_file(path, part)
    return TaggedSource(name=file.name, sha256=sha256_of_file(file), given=file)
