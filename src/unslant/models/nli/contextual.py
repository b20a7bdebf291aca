"""Decomposable attention whose words see their sentence first; it needs torch to be used."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.nli.attention import Rows
from unslant.models.nli.grid import Grid
from unslant.models.nli.model import Probabilities
from unslant.models.nli.shape import Shape
from unslant.models.nli.tokens import tokenise

_BATCH = 512


class ContextualAttention:
    """Decomposable attention with a BiLSTM (Dev et al. 2020), intra-sentence attention, or both.

    ``tensors`` are the weights by their names in :class:`unslant.models.nli.shape.Shape`.
    """

    def __init__(
        self, shape: Shape, tensors: Mapping[str, NDArray[np.float32]], embedding: Rows
    ) -> None:
        torch = torch_for("A model that reads context")
        from unslant.models.nli.network import Network

        self._network = Network(shape)
        # Copied: the arrays of a file may be read-only, which torch warns of.
        weights = {name: torch.from_numpy(np.array(value)) for name, value in tensors.items()}
        self._network.load_state_dict(weights)
        self._network.eval()
        self._embedding = embedding

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair of sentences."""
        from unslant.models.nli.contextual_grid import pair_answers

        if len(premises) != len(hypotheses):
            raise UnslantError(
                f"Each premise needs one hypothesis; there are {len(premises):,} premises and "
                f"{len(hypotheses):,} hypotheses."
            )
        words = _Words()
        sides = [[words.places(text) for text in side] for side in (premises, hypotheses)]
        for texts, side in zip((premises, hypotheses), sides, strict=True):
            if () in side:
                _refuse(texts[side.index(())])
        pairs = list(zip(*sides, strict=True))
        lengths = np.array([len(a) + len(b) for a, b in pairs], np.int64)
        by_length = np.argsort(lengths, kind="stable")
        chosen = [by_length[at : at + _BATCH] for at in range(0, len(pairs), _BATCH)]
        batches = [[pairs[place] for place in places] for places in chosen]
        answers = np.empty((len(premises), 3), np.float32)
        rows = self._embedding.rows(list(words.place_of))
        found = pair_answers(self._network, rows, batches)
        for places, some in zip(chosen, found, strict=True):
            answers[places] = some
        return answers

    def predict_grid(self, grid: Grid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3, each sentence read once."""
        from unslant.models.nli.contextual_grid import grid_answers

        words = _Words()
        premises, hypotheses = (
            [words.places(filler) for filler in side] for side in (grid.premises, grid.hypotheses)
        )
        contexts = [(words.places(one.before), words.places(one.after)) for one in grid.contexts]
        if () in (*premises, *hypotheses) and ((), ()) in contexts:
            _refuse(grid.contexts[contexts.index(((), ()))].sentence(""))
        rows = self._embedding.rows(list(words.place_of))
        return grid_answers(self._network, rows, premises, hypotheses, contexts, progress)


class _Words:
    """Distinct words in the order of their first appearance."""

    def __init__(self) -> None:
        self.place_of: dict[str, int] = {}

    def places(self, text: str) -> tuple[int, ...]:
        """The words of a text as places in the table."""
        order = self.place_of
        return tuple(order.setdefault(word, len(order)) for word in tokenise(text))


def _refuse(sentence: str) -> None:
    raise UnslantError(f"A sentence to compare needs at least one word; got {sentence!r}.")
