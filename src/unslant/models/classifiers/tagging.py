"""Tagging entities on an encoder: one tag for each word, on its first piece."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.datasets.conll2003 import OUTSIDE
from unslant.measures.tag_scores import TagScores
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.classifiers.examples import ExampleBatch, LabelledExamples, groups
from unslant.models.classifiers.settings import FineTuning
from unslant.models.classifiers.tagged_examples import NO_TAG, TaggedBatch, TaggedExamples
from unslant.models.classifiers.tagging_data import CorpusReading, TaggingData
from unslant.models.classifiers.task import EncoderTask
from unslant.models.classifiers.training import FineTuned, fine_tuned
from unslant.models.training.trainer import NetworkOutputs

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_AT_ONCE = 128


class TaggingTask(EncoderTask):
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
        super().__init__(model, labels, how, train, dev, test, attributes)
        self.named = named or dev

    def outputs(self, network: nn.Module, batch: ExampleBatch) -> NetworkOutputs:
        """One row for each word: its logits, its tag, and the groups of the name that it is of."""
        assert isinstance(batch, TaggedBatch)
        has_tag = torch.from_numpy(batch.labels != NO_TAG)
        names = batch.names[batch.labels != NO_TAG]
        protected = {}
        for attribute, group in batch.groups.items():
            found = group[names]
            found[names < 0] = -1
            protected[attribute] = torch.from_numpy(found)
        return NetworkOutputs(
            self.logits(network, batch)[has_tag],
            torch.from_numpy(batch.labels)[has_tag],
            torch.from_numpy(names),
            protected,
        )

    def held_out_batches(self) -> Iterator[ExampleBatch]:
        """Dev sentences with names of known groups, if there are any, else as they are."""
        for rows in groups(self.named.lengths, _AT_ONCE):
            yield self.named.batch(rows)

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """The scores of the dev part."""
        return {f"dev_{key}": value for key, value in self._scores(network, self.dev).items()}

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        """The scores of the test part, if there is one."""
        if self.test is None:
            return {}
        return {f"test_{key}": value for key, value in self._scores(network, self.test).items()}

    def _scores(self, network: nn.Module, examples: LabelledExamples) -> dict[str, float]:
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


def train_tagging(
    model: "TransformerModel",
    data: TaggingData,
    how: FineTuning | None = None,
    *,
    adversaries: AdversarySettings | None = None,
    checkpoint: Path | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> FineTuned:
    """Fine-tune an encoder to tag entities; interventions of the model act in training.

    ``adversaries`` work against what the tags of names reveal of their groups, so ``data`` must
    have a table of names. Every finished epoch is kept in the ``checkpoint``.
    """
    how = how or FineTuning()
    if adversaries is not None and data.table is None:
        raise UnslantError(
            "Adversaries need persons whose groups are known. Name a table of names "
            "([[names=…|--names]])."
        )
    task, record = tagging_task(model, data, how, progress)
    return fine_tuned(
        task,
        data=record,
        adversaries=adversaries,
        checkpoint=checkpoint,
        note=note,
        progress=progress,
    )


def tagging_task(
    model: "TransformerModel", data: TaggingData, how: FineTuning, progress: Progress | None = None
) -> tuple[TaggingTask, dict[str, Any]]:
    """The task with its data, and their entry in the record."""
    labels = data.labels(progress)
    read = CorpusReading(model, data, how, labels, progress)
    task = TaggingTask(
        model,
        labels,
        how,
        read.train(),
        read.dev(),
        read.test(),
        named=read.dev_with_names(),
        attributes=data.attributes,
    )
    return task, read.record
