"""Shared parts of tasks on an encoder: the network with its head, and a pass through it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from unslant.core.errors import UnslantError
from unslant.core.seeds import generator
from unslant.models.classifiers.examples import ExampleBatch, LabelledExamples, groups
from unslant.models.classifiers.settings import FineTuning
from unslant.models.language.interventions import base_of
from unslant.models.language.weights import Head, NetworkPlan, built, missing_arrays_error, planned
from unslant.models.training.adapters import free
from unslant.models.training.schedule import Tuned, computing_in
from unslant.models.training.trainer import Classified, NetworkOutputs

if TYPE_CHECKING:
    from unslant.models.language.folder import ModelFolder
    from unslant.models.language.model import TransformerModel


# An encoder with a head for a task that may be new; only for training, never for results.

_INITIAL = 0.02


def with_head(
    model: "TransformerModel", head: Head, labels: Sequence[str], how: FineTuning
) -> nn.Module:
    """The network with a head for these labels, with the tuned weights unfrozen.

    A head that the file has for the same labels is kept, so that training continues from it. Any
    other is drawn, and so is a missing pooler; all other arrays are the file's own.
    """
    row = model.layout.architecture
    if row.is_decoder:
        raise UnslantError(
            f"{model.name} is a decoder ({model.layout.kind}). Heads for tasks are trained on "
            f"encoders, which read a text from both sides."
        )
    if row.shared and Tuned.of(how.tune).kind == "last":
        raise UnslantError(
            f"{model.name} uses one block several times, so its last blocks cannot be tuned "
            f"alone. Use [[tune='all'|--tune all]]."
        )
    lost = planned(model.folder, model.layout).missing
    if lost:
        raise missing_arrays_error(model.folder, model.layout, None, lost)
    plan = _plan(model, head, labels)
    net: nn.Module = built(model.folder, plan)
    for missing in plan.missing:
        _draw(net.get_parameter(missing), missing)
    for part in net.modules():
        if isinstance(part, nn.Dropout):
            part.p = how.dropout
    base = base_of(net)
    count = model.layout.groups if row.shared else model.layout.layers
    blocks = [base.get_submodule(row.block.format(n=number)) for number in range(count)]
    free(base, blocks, Tuned.of(how.tune))
    pooler = getattr(base, "pooler", None)
    if pooler is not None and head == "sequence":
        pooler.requires_grad_(True)  # the head reads it
    return net


def labelled(folder: "ModelFolder", labels: Sequence[str]) -> Mapping[str, object]:
    """The configuration of a model whose head has these labels."""
    return {
        **{key: value for key, value in folder.config.items() if key not in ("num_labels",)},
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }


def _plan(model: "TransformerModel", head: Head, labels: Sequence[str]) -> NetworkPlan:
    folder = replace(model.folder, config=labelled(model.folder, labels))
    plan = planned(folder, model.layout, head)
    named = model.folder.config.get("id2label")
    known = list(named.values()) if isinstance(named, dict) else []
    if known == list(labels):
        return plan
    base = f"{plan.network.base_model_prefix}."
    own = {name: stored for name, stored in plan.names.items() if name.startswith(base)}
    return replace(plan, names=own)


def _draw(value: nn.Parameter, name: str) -> None:
    with torch.no_grad():
        if value.dim() > 1:
            nn.init.normal_(value, std=_INITIAL)
        else:
            is_scale = name.endswith(("LayerNorm.weight", "norm.weight", "layer_norm.weight"))
            nn.init.constant_(value, 1.0 if is_scale else 0.0)


_AT_ONCE = 128
"""Held-out examples in a batch."""


class EncoderTask(Classified[ExampleBatch]):
    """Labelled texts for an encoder with a head; a round is an epoch.

    Interventions of the model act in every pass, so the network learns with what they leave.
    ``attributes`` are the protected attributes of the examples, with their groups.
    """

    round_name = "Epoch"
    head: Head

    def __init__(
        self,
        model: "TransformerModel",
        labels: Sequence[str],
        how: FineTuning,
        train: LabelledExamples,
        dev: LabelledExamples,
        test: LabelledExamples | None = None,
        attributes: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        for step in model.intervention.steps:
            if step.place.part == "sentence":
                raise UnslantError(
                    f"{step.name} acts on sentence vectors, which no head of a task reads. Fit it "
                    f"at pooled or layer:-1 instead."
                )
        self.model, self.labels, self.how = model, tuple(labels), how
        self.train, self.dev, self.test = train, dev, test
        self.classes, self.attributes = self.labels, attributes or {}

    def build_network(self) -> nn.Module:
        """The encoder with its head."""
        return with_head(self.model, self.head, self.labels, self.how)

    @property
    def steps_in_round(self) -> int:
        """How many batches an epoch has."""
        return -(-len(self.train) // self.how.batch)

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, ExampleBatch]]:
        """Every example once, those of similar length together."""
        rng = generator(seed, self.name, f"order {number}")
        for rows in groups(self.train.lengths, self.how.batch, rng):
            yield len(rows), self.train.batch(rows)

    def held_out_batches(self) -> Iterator[ExampleBatch]:
        """The dev data, by length."""
        for rows in groups(self.dev.lengths, _AT_ONCE):
            yield self.dev.batch(rows)

    def logits(self, network: nn.Module, batch: ExampleBatch) -> Tensor:
        """The head's output, in single precision, with the model's interventions in effect."""
        given = {"input_ids": torch.from_numpy(batch.ids)}
        if getattr(network.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = torch.from_numpy(batch.parts)
        if not batch.is_piece.all():
            given["attention_mask"] = torch.from_numpy(batch.is_piece.astype("int64"))
        with ExitStack() as stack:
            stack.enter_context(self.model.intervention.on(self.model, network))
            stack.enter_context(computing_in(self.how.precision))
            found: Tensor = network(**given).logits
        return found.float()


class TextTask(EncoderTask):
    """One label for each text or pair of texts."""

    head = "sequence"
    objective = "dev_accuracy"

    def outputs(self, network: nn.Module, batch: ExampleBatch) -> NetworkOutputs:
        """The logits of the texts, with their labels and groups."""
        clusters = batch.rows if batch.clusters is None else batch.clusters
        protected = {name: torch.from_numpy(each) for name, each in batch.protected.items()}
        return NetworkOutputs(
            self.logits(network, batch),
            torch.from_numpy(batch.labels),
            torch.from_numpy(clusters),
            protected,
        )

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """How often the network is right on the dev data."""
        return {"dev_accuracy": self._accuracy(network, self.dev)}

    def evaluate_test(self, network: nn.Module) -> dict[str, float]:
        """How often it is right on the test data, if there are any."""
        return {"test_accuracy": self._accuracy(network, self.test)} if self.test else {}

    def _accuracy(self, network: nn.Module, examples: LabelledExamples) -> float:
        right = 0
        for rows in groups(examples.lengths, _AT_ONCE):
            batch = examples.batch(rows)
            chosen = self.logits(network, batch).argmax(1).numpy()
            right += int((chosen == batch.labels).sum())
        return right / len(examples)
