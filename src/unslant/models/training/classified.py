"""A task that sorts examples into classes: what adversaries and judges may read of it."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.models.training.trainer import Batch, Task


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a network says of a batch: one row for each sentence, or for each token with a tag.

    ``protected`` has, for each attribute, the group of each row, -1 if it has none. Rows with the
    same number in ``clusters``, such as those of one name or one sentence, are not independent.
    """

    logits: Tensor
    labels: Tensor
    clusters: Tensor
    protected: Mapping[str, Tensor] = field(default_factory=dict)


class Classified(Task[Batch]):
    """A task with classes, whose examples may belong to groups of protected attributes.

    ``classes`` are the names of the labels, and ``attributes`` the groups of each protected
    attribute, such as ``{"gender": ("female", "male")}``.
    """

    classes: tuple[str, ...]
    attributes: Mapping[str, tuple[str, ...]]

    @abstractmethod
    def outputs(self, network: nn.Module, batch: Batch) -> Outputs:
        """What the network says of a batch, and what is known of its examples."""

    @abstractmethod
    def held_out_batches(self) -> Iterator[Batch]:
        """The held-out examples, each once, in a fixed order."""

    def loss_of(self, outputs: Outputs) -> Tensor:
        """The mean loss of what the network said."""
        return cross_entropy(outputs.logits, outputs.labels)

    def loss(self, network: nn.Module, batch: Batch) -> Tensor:
        """The mean loss of a batch."""
        return self.loss_of(self.outputs(network, batch))
