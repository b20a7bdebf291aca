"""A model's own loss on running text: masked pieces, or the next piece for a decoder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch import Tensor, from_numpy, nn
from torch.nn.functional import cross_entropy

from unslant.core.record import Fact
from unslant.core.seeds import generator
from unslant.models.debias_training.leace_in_training import LeaceInTraining
from unslant.models.debias_training.task import TuningTask, judged, logits_at
from unslant.models.debias_training.tuning import Setup, Tuning
from unslant.models.debias_training.word_sentences import Ids, PaddedPieces, in_turns, padded
from unslant.models.head_training.running_text import Marks, RunningText, read_text, with_gaps
from unslant.models.language.interventions import Intervention, base_of
from unslant.models.language.likelihood import gap_piece
from unslant.models.language.model import TransformerModel
from unslant.models.language.weights import Head

HELD_OUT = 500
"""How many sentences at the end of the text are held out, or a tenth of it if that is less."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Sentences, the positions to predict, and the correct pieces there."""

    shown: PaddedPieces
    at: tuple[Ids, Ids]
    answers: Ids
    step: tuple[int, int] = (0, 0)
    """The round, and the number of the batch in it, from 0."""


class LanguageTask(TuningTask[Any]):
    """Training on the text, and on its ``swap`` if there is one, with another dropout if set."""

    terms: ClassVar[tuple[tuple[str, str], ...]] = (("language_loss", "language-model loss"),)

    def __init__(
        self,
        how: Tuning,
        on: Setup,
        *,
        dropouts: tuple[float, float] | None = None,
        swap: Callable[[str], str] | None = None,
    ) -> None:
        is_decoder = on.model.layout.architecture.is_decoder
        head: Head = "causal" if is_decoder else "masked"
        super().__init__(how, on, head)
        self.dropouts = dropouts
        tokens = on.model.tokens
        framed = tokens.of(["a"])[0]
        self.begin = framed.ids[: framed.added[0]]
        self.end = framed.ids[len(framed.ids) - framed.added[1] :]
        gap = -1 if is_decoder else gap_piece(on.model)
        self.marks = Marks(begin=-1, end=-1, gap=gap, pieces=on.model.layout.pieces)
        room = tokens.most - len(self.begin) - len(self.end)

        def read(swapped: Callable[[str], str] | None) -> RunningText:
            return read_text(
                how.path,
                tokens,
                longest=min(how.longest, room),
                most=how.sentences,
                swap=swapped,
                progress=on.progress,
            )

        text = read(None)
        size = min(HELD_OUT, len(text) // 10)
        self.text, self.dev = text.part(0, len(text) - size), text.part(len(text) - size, len(text))
        self.record = text.record
        if swap is not None:
            twin = read(swap)
            self.text = self.text.then(twin.part(0, len(twin) - size))

    @property
    def facts(self) -> dict[str, Fact]:
        """How many sentences there are."""
        return {
            "sentences": len(self.text),
            "held-out-sentences": len(self.dev),
            "sentences-left-out": self.record["sentences_left_out"],
        }

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
        """Sentences in a random order, each once before any comes again."""
        size, steps = self.common.batch, self.common.steps
        start = (number - 1) * steps * size
        chosen = in_turns(len(self.text), start, steps * size, seed, "text")
        rng = generator(seed, "tuning", f"gaps {number}")
        for step in range(steps):
            rows = chosen[step * size : (step + 1) * size]
            asked = self.asked(self.text, rows, rng, (number, step))
            yield len(asked.answers), asked

    def asked(
        self,
        text: RunningText,
        rows: Ids,
        rng: np.random.Generator,
        step: tuple[int, int] = (0, 0),
    ) -> Asked:
        """Sentences with some pieces masked, or every piece predicted from those before it."""
        batch = padded([(*self.begin, *text.sentence(row).tolist(), *self.end) for row in rows])
        if self.head == "causal":
            rows_of, places_of = np.nonzero(batch.is_piece[:, 1:])
            return Asked(batch, (rows_of, places_of), batch.ids[rows_of, places_of + 1], step)
        lengths = batch.is_piece.sum(axis=1, keepdims=True)
        places = np.arange(batch.ids.shape[1])[None]
        is_text = (places >= len(self.begin)) & (places < lengths - len(self.end))
        shown, at = with_gaps(batch.ids, is_text, self.marks, rng)
        return Asked(PaddedPieces(shown, batch.is_piece, batch.word), at, batch.ids[at], step)

    def loss(self, network: nn.Module, batch: Any) -> Tensor:
        """The cross-entropy of the masked pieces."""
        return language_loss(network, batch)

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """The loss on the end of the text, always with the same gaps."""
        found = self.language_loss(network)
        return {"score": -found, "language_loss": found}

    def language_loss(self, network: nn.Module) -> float:
        """The loss on the held-out sentences."""
        rng = generator(0, "tuning", "held out")
        total, count = 0.0, 0
        for start in range(0, len(self.dev), self.common.batch):
            rows = np.arange(start, min(start + self.common.batch, len(self.dev)))
            asked = self.asked(self.dev, rows, rng)
            total += float(language_loss(network, asked)) * len(asked.answers)
            count += len(asked.answers)
        return total / count


def language_loss(network: nn.Module, asked: Asked) -> Tensor:
    """−mean log p of the right pieces."""
    return cross_entropy(logits_at(network, asked.shown, asked.at), from_numpy(asked.answers))


# Training with an eraser in effect, which is fitted again as the weights change.


class ErasedTask(LanguageTask):
    """The model's own loss, read through an eraser that follows the weights."""

    terms = (("language_loss", "language-model loss with the eraser"),)

    def __init__(self, how: LeaceInTraining, on: Setup, methods: str) -> None:
        super().__init__(how, on)
        self.how, self.methods = how, methods
        self._fitted: tuple[tuple[int, int], Intervention] | None = None

    def loss(self, network: nn.Module, batch: Asked) -> Tensor:
        """The cross-entropy of the masked pieces, with the eraser in effect."""
        number, step = batch.step
        due = number, step - step % self.how.every
        if self._fitted is None or self._fitted[0] != due:
            self._fitted = due, self.fitted(network)
        with self._erasing(network, self._fitted[1]):
            return language_loss(network, batch)

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """The loss with an eraser that is fitted on the network as it is."""
        with self._erasing(network, self.fitted(network)):
            return super().evaluate_dev(network)

    def fitted(self, network: nn.Module) -> Intervention:
        """The eraser for the weights of the moment."""
        assert self.on.fit is not None
        with judged(network):
            return self.on.fit(self.methods, self._live(network))

    @contextmanager
    def _erasing(self, network: nn.Module, eraser: Intervention) -> Iterator[None]:
        with eraser.on(self.on.model, network):
            yield

    def _live(self, network: Any) -> TransformerModel:
        """The network under training as a model whose places can be read."""
        model = self.on.model
        live = TransformerModel(model.folder, model.layout, model.tokens, model.modules)
        # What a model finds out about its own files is known already, but for the weights.
        vars(live).update(network=base_of(network), weights_sha256=model.weights_sha256)
        return live
