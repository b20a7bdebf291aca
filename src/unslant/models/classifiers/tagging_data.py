"""The parts of a corpus in the layout of CoNLL-2003 as examples for a tagger."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.concepts.name_table import NameTable
from unslant.core.errors import UnslantError
from unslant.core.files import Progress, sha256_of_file
from unslant.core.seeds import generator
from unslant.datasets.conll2003 import OUTSIDE, Part, tagged_file, tagged_sentences
from unslant.models.classifiers.settings import FineTuning
from unslant.models.classifiers.tagged_examples import (
    NamedSentence,
    TaggedExamples,
    as_they_are,
    tagged_examples,
    with_drawn_names,
)

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


@dataclass(frozen=True)
class TaggingData:
    """A folder in the layout of CoNLL-2003, and names to put in place of persons in training.

    With a ``table``, every training sentence with a person is used ``copies`` times, each time
    with drawn names, and if ``with_own`` also with its own. ``most`` is how many training sentences
    to draw; 0 for all.
    """

    folder: Path
    table: NameTable | None = None
    copies: int = 1
    most: int = 0
    with_own: bool = False

    def labels(self, progress: Progress | None = None) -> tuple[str, ...]:
        """The tags of the training part in IOB2: O, and for each kind its beginning and inside."""
        kinds = {
            span.kind
            for sentence in tagged_sentences(self.folder, "train", progress)
            for span in sentence.spans()
        }
        if not kinds:
            raise UnslantError(f"{self.folder} has no entities in its training part.")
        return (OUTSIDE, *(f"{start}-{kind}" for kind in sorted(kinds) for start in "BI"))

    @property
    def attributes(self) -> dict[str, tuple[str, ...]]:
        """The groups of each attribute of the names."""
        if self.table is None:
            return {}
        return {one: tuple(self.table.groups(one)) for one in self.table.attributes}

    @property
    def has_test(self) -> bool:
        """Whether there is a test part; it is the only one that may be missing."""
        try:
            tagged_file(self.folder, "testb")
        except UnslantError:
            return False
        return True


@dataclass(frozen=True)
class CorpusReading:
    """The parts of the data as examples for one encoder; ``record`` describes them."""

    model: "TransformerModel"
    data: TaggingData
    how: FineTuning
    labels: tuple[str, ...]
    progress: Progress | None = None
    record: dict[str, Any] = field(default_factory=dict)

    def train(self) -> TaggedExamples:
        """The training part, with drawn names if there are any."""
        longest = min(self.how.longest, self.model.tokens.most)
        found = self._read("train", "train", self.data.table, longest=longest)
        most = self.data.most
        if not 0 < most < len(found):
            return found
        self.record["train"]["drawn"] = most
        rng = generator(self.how.seed, "training sentences", str(most))
        return found.taken(np.sort(rng.permutation(len(found))[:most]))

    def dev(self) -> TaggedExamples:
        """The unchanged part that selects the epoch."""
        return self._read("testa", "dev", keep_tags=True)

    def dev_with_names(self) -> TaggedExamples | None:
        """The same with drawn names, if there are any, for adversaries and their judges."""
        table = self.data.table
        return None if table is None else self._read("testa", "dev_with_names", table)

    def test(self) -> TaggedExamples | None:
        """The part that chooses nothing, if there is one."""
        return self._read("testb", "test", keep_tags=True) if self.data.has_test else None

    def _read(
        self,
        part: Part,
        key: str,
        table: NameTable | None = None,
        *,
        longest: int | None = None,
        keep_tags: bool = False,
    ) -> TaggedExamples:
        file = tagged_file(self.data.folder, part)
        examples, counts = tagged_examples(
            self.model,
            self._sentences(file, part, table),
            self.labels,
            longest=longest or self.model.tokens.most,
            table=table,
            keep_tags=keep_tags,
            progress=self.progress,
        )
        self.record[key] = {"file": file.name, "sha256": sha256_of_file(file), **counts}
        if table is not None:
            self.record[key] |= {"names": table.title, "names_sha256": table.content_hash}
        return examples

    def _sentences(
        self, file: Path, part: Part, table: NameTable | None
    ) -> Iterator[NamedSentence]:
        if table is None:
            return as_they_are(tagged_sentences(file))
        rng = generator(self.how.seed, "drawn names", part)
        if part != "train":
            return with_drawn_names(tagged_sentences(file), table, rng)
        copies, with_own = self.data.copies, self.data.with_own
        return with_drawn_names(
            tagged_sentences(file), table, rng, copies=copies, with_own=with_own
        )
