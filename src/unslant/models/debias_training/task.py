"""A task of the trainer that tunes a model, and a copy of the network that may be trained."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import torch
from torch import Tensor, nn

from unslant.core.errors import UnslantError
from unslant.core.record import Fact
from unslant.models.debias_training.tuning import Setup, Tuning
from unslant.models.debias_training.word_sentences import Ids, PaddedPieces
from unslant.models.language.interventions import base_of
from unslant.models.language.weights import Head, network, planned
from unslant.models.training.adapters import free
from unslant.models.training.schedule import Tuned
from unslant.models.training.trainer import TrainingTask

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


# A trainable copy of a model's network, and its outputs.

_HIDDEN = (
    *("hidden_dropout_prob", "dropout", "embedding_dropout", "mlp_dropout"),
    *("resid_pdrop", "embd_pdrop"),
)
_ATTENTION = ("attention_probs_dropout_prob", "attention_dropout", "attn_pdrop")
"""What configurations call the two kinds of dropout."""


def trainable(
    model: "TransformerModel",
    tune: str,
    head: Head | None,
    dropouts: tuple[float, float] | None = None,
) -> nn.Module:
    """A new copy of the network with its head; arrays tied in transformers are tied here."""
    folder = model.folder
    if dropouts is not None:
        folder = replace(folder, config={**folder.config, **_with(model, *dropouts)})
    net: nn.Module = network(folder, model.layout, head)
    for name, source in planned(folder, model.layout, head).tied.items():
        owner, _, last = name.rpartition(".")
        setattr(net.get_submodule(owner), last, net.get_parameter(source))
    net.requires_grad_(True)
    base = base_of(net)
    layout = model.layout
    count = layout.groups if layout.architecture.shared else layout.layers
    blocks = [base.get_submodule(layout.architecture.block.format(n=n)) for n in range(count)]
    free(base, blocks, Tuned.of(tune))
    for name, value in base.named_parameters():
        if name.startswith("pooler"):  # no loss of ours reads it
            value.requires_grad_(False)
    return net


def _with(model: "TransformerModel", hidden: float, attention: float) -> Mapping[str, float]:
    """The settings of dropout in a configuration, by the names that its architecture uses."""
    known = planned(model.folder, model.layout).network.config.to_dict()
    found = {key: hidden for key in _HIDDEN if key in known}
    found |= {key: attention for key in _ATTENTION if key in known}
    if not any(key in known for key in _HIDDEN):
        raise UnslantError(
            f"{model.name} is a {model.layout.kind}, which has no dropout between its layers, so "
            f"it cannot be trained with more. Use cda or control."
        )
    return found


def hidden_states(base: nn.Module, batch: PaddedPieces) -> Tensor:
    """Outputs of the embeddings and every layer: sentences × pieces × layers × width."""
    found = base(
        input_ids=torch.from_numpy(batch.ids),
        attention_mask=torch.from_numpy(batch.is_piece.astype("int64")),
        output_hidden_states=True,
    )
    return torch.stack(list(found.hidden_states), dim=2)


def logits_at(net: Any, batch: PaddedPieces, asked: tuple[Ids, Ids]) -> Tensor:
    """The logits of some pieces (pieces × vocabulary): the head reads only these."""
    rows, columns = (torch.from_numpy(part) for part in asked)

    def narrowed(_: Any, args: Any, given: Any) -> Any:
        given["last_hidden_state"] = given["last_hidden_state"][rows, columns][None]
        return given

    handle = base_of(net).register_forward_hook(narrowed)
    try:
        found = net(
            input_ids=torch.from_numpy(batch.ids),
            attention_mask=torch.from_numpy(batch.is_piece.astype("int64")),
        )
    finally:
        handle.remove()
    logits: Tensor = found.logits[0]
    return logits


@contextmanager
def judged(net: nn.Module) -> Iterator[None]:
    """A context with a network in evaluation mode, without gradients."""
    was_training = net.training
    net.train(mode=False)
    try:
        with torch.no_grad():
            yield
    finally:
        net.train(mode=was_training)


# The trainer's input for a debiasing training: a task, and its entry in a record.

Batch = TypeVar("Batch")


class TuningTask(TrainingTask[Batch]):
    """The network of a model is trained by a method.

    ``head`` is the one that the method needs; without one the network has none, and the head in
    the model's file stays as it is.
    """

    name = "tuning"
    objective = "score"
    dropouts: tuple[float, float] | None = None

    def __init__(self, how: Tuning, on: Setup, head: Head | None) -> None:
        self.common, self.on, self.head = how, on, head

    def build_network(self) -> nn.Module:
        """A copy of the model's network."""
        return trainable(self.on.model, self.common.tune, self.head, self.dropouts)

    @property
    def steps_in_round(self) -> int:
        """How many batches a round has."""
        return self.common.steps

    @property
    @abstractmethod
    def facts(self) -> dict[str, Fact]:
        """Facts about the training data."""

    terms: ClassVar[tuple[tuple[str, str], ...]]
    """The terms of the loss on the held-out part, each with what a record calls it."""


AnyTask = TuningTask[Any]
