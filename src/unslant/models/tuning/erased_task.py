"""Training with an eraser in effect, which is fitted again as the weights change."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from unslant.models.language.interventions import Intervention, base_of
from unslant.models.language.model import TransformerModel
from unslant.models.tuning.language_task import Asked, LanguageTask, language_loss
from unslant.models.tuning.leace_in_training import LeaceInTraining
from unslant.models.tuning.network import judged
from unslant.models.tuning.tuning import Setup


class ErasedTask(LanguageTask):
    """The model's own loss, read through an eraser that follows the weights."""

    terms = (("language_loss", "language-model loss with the eraser"),)

    def __init__(self, how: LeaceInTraining, on: Setup, methods: str) -> None:
        super().__init__(how, on)
        self.how, self.methods = how, methods
        self._fitted: tuple[tuple[int, int], Intervention] | None = None

    def loss(self, network: nn.Module, batch: Asked) -> Tensor:
        """The cross-entropy of the asked pieces, with the eraser in effect."""
        number, step = batch.step
        due = number, step - step % self.how.every
        if self._fitted is None or self._fitted[0] != due:
            self._fitted = due, self.fitted(network)
        with self._acting(network, self._fitted[1]):
            return language_loss(network, batch)

    def held_out(self, network: nn.Module) -> dict[str, float]:
        """The loss with an eraser that is fitted on the network as it is."""
        with self._acting(network, self.fitted(network)):
            return super().held_out(network)

    def fitted(self, network: nn.Module) -> Intervention:
        """The eraser for the weights of the moment."""
        assert self.on.fit is not None
        with judged(network):
            return self.on.fit(self.methods, self._live(network))

    @contextmanager
    def _acting(self, network: nn.Module, eraser: Intervention) -> Iterator[None]:
        with eraser.on(self.on.model, network):
            yield

    def _live(self, network: Any) -> TransformerModel:
        """The network under training as a model whose places can be read."""
        model = self.on.model
        live = TransformerModel(model.folder, model.layout, model.tokens, model.modules)
        # What a model finds out about its own files is known already, but for the weights.
        vars(live).update(network=base_of(network), weights_sha256=model.weights_sha256)
        return live
