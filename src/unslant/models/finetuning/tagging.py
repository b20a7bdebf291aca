"""Tagging entities on an encoder: one tag for each word, on its first piece."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from unslant.concepts.name_table import NameTable
from unslant.core.errors import UnslantError
from unslant.core.files import Progress, sha256_of_file
from unslant.core.seeds import generator
from unslant.datasets.conll2003 import Part, tagged_file, tagged_sentences
from unslant.datasets.tag_scores import TagScores
from unslant.datasets.tagged import OUTSIDE
from unslant.models.finetuning.examples import Batch, Examples, groups
from unslant.models.finetuning.named_sentences import as_they_are, with_drawn_names
from unslant.models.finetuning.settings import FineTuning
from unslant.models.finetuning.tagged_examples import (
    NO_TAG,
    TaggedBatch,
    TaggedExamples,
    tagged_examples,
)
from unslant.models.finetuning.task import EncoderTask
from unslant.models.finetuning.training import FineTuned, fine_tuned
from unslant.models.training.classified import Classified, Outputs

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_AT_ONCE = 128


class TaggingTask(EncoderTask, Classified[Batch]):
    """Words and their tags; the epoch is chosen by the F1 of entities of the dev part.

    ``named`` are dev sentences with names of known groups, for adversaries and their judges.
    """

    name = "ner on an encoder"
    head = "tokens"
    objective = "dev_span_f1"

    def __init__(
        self,
        model: "TransformerModel",
        labels: tuple[str, ...],
        how: FineTuning,
        train: TaggedExamples,
        dev: TaggedExamples,
        test: TaggedExamples | None = None,
        *,
        named: TaggedExamples | None = None,
        attributes: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(model, labels, how, train, dev, test)
        self.classes, self.attributes = tuple(labels), dict(attributes or {})
        self.named = named or dev

    def outputs(self, network: nn.Module, batch: Batch) -> Outputs:
        """One row for each word: its logits, its tag, and the groups of the name that it is of."""
        assert isinstance(batch, TaggedBatch)
        has_tag = torch.from_numpy(batch.labels != NO_TAG)
        names = batch.names[batch.labels != NO_TAG]
        protected = {}
        for attribute, group in batch.groups.items():
            found = group[names]
            found[names < 0] = -1
            protected[attribute] = torch.from_numpy(found)
        return Outputs(
            self.logits(network, batch)[has_tag],
            torch.from_numpy(batch.labels)[has_tag],
            torch.from_numpy(names),
            protected,
        )

    def held_out_batches(self) -> Iterator[Batch]:
        """Dev sentences with names of known groups, if there are any, else as they are."""
        for rows in groups(self.named.lengths, _AT_ONCE):
            yield self.named.batch(rows)

    def held_out(self, network: nn.Module) -> dict[str, float]:
        """The scores of the dev part."""
        return {f"dev_{key}": value for key, value in self._scores(network, self.dev).items()}

    def tested(self, network: nn.Module) -> dict[str, float]:
        """The scores of the test part, if there is one."""
        if self.test is None:
            return {}
        return {f"test_{key}": value for key, value in self._scores(network, self.test).items()}

    def _scores(self, network: nn.Module, examples: Examples) -> dict[str, float]:
        assert isinstance(examples, TaggedExamples)
        scores = TagScores()
        for rows in groups(examples.lengths, _AT_ONCE):
            best = self.logits(network, examples.batch(rows)).argmax(-1).tolist()
            for row, tags in zip(rows.tolist(), best, strict=True):
                firsts = examples.firsts[row]
                said = [OUTSIDE if at < 0 else self.labels[tags[at]] for at in firsts]
                scores.add(examples.tags[row], said)
        # A number that is not defined, such as the F1 of a kind that is never there, is left out.
        found = {key: value for key, value in scores.to_dict().items() if value is not None}
        return {"span_f1": 0.0, **found}


@dataclass(frozen=True)
class TaggingData:
    """A folder in the layout of CoNLL-2003, and names to put in place of persons in training.

    With a ``table``, every training sentence with a person is used ``copies`` times, each time
    with drawn names. ``most`` is how many training sentences to draw; 0 for all.
    """

    folder: Path
    table: NameTable | None = None
    copies: int = 1
    most: int = 0

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


def train_tagging(
    model: "TransformerModel",
    data: TaggingData,
    how: FineTuning | None = None,
    *,
    checkpoint: Path | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> FineTuned:
    """Fine-tune an encoder to tag entities; interventions of the model act in training.

    Every finished epoch is kept in the ``checkpoint``.
    """
    how = how or FineTuning()
    task, record = tagging_task(model, data, how, progress)
    return fine_tuned(task, data=record, checkpoint=checkpoint, note=note, progress=progress)


def tagging_task(
    model: "TransformerModel", data: TaggingData, how: FineTuning, progress: Progress | None = None
) -> tuple[TaggingTask, dict[str, Any]]:
    """The task with its data read, and what the record says of these."""
    labels = data.labels(progress)
    record: dict[str, Any] = {}

    def read(part: Part, key: str, *, is_named: bool = False) -> TaggedExamples:
        file = tagged_file(data.folder, part)
        is_train, table = part == "train", data.table if is_named else None
        given = as_they_are(tagged_sentences(file))
        if table is not None:
            rng = generator(how.seed, "drawn names", part)
            copies = data.copies if is_train else 1
            given = with_drawn_names(tagged_sentences(file), table, rng, copies=copies)
        examples, counts = tagged_examples(
            model,
            given,
            labels,
            longest=min(how.longest, model.tokens.most) if is_train else model.tokens.most,
            table=table,
            keep_tags=key in ("dev", "test"),
            progress=progress,
        )
        record[key] = {"file": file.name, "sha256": sha256_of_file(file), **counts}
        if table is not None:
            record[key] |= {"names": table.title, "names_sha256": table.content_hash}
        return examples

    train = read("train", "train", is_named=True)
    if 0 < data.most < len(train):
        train = train.drawn(data.most, generator(how.seed, "training sentences", str(data.most)))
        record["train"]["drawn"] = data.most
    dev, named = read("testa", "dev"), None
    attributes: dict[str, tuple[str, ...]] = {}
    if data.table is not None:
        named = read("testa", "dev_with_names", is_named=True)
        attributes = {one: tuple(data.table.groups(one)) for one in data.table.attributes}
    test = read("testb", "test") if _has_test(data.folder) else None
    task = TaggingTask(model, labels, how, train, dev, test, named=named, attributes=attributes)
    return task, record


def _has_test(folder: Path) -> bool:
    try:
        tagged_file(folder, "testb")
    except UnslantError:
        return False
    return True
