"""The network of ELMo (Peters et al. 2018): spelled words in, three layers of vectors out."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from unslant.models.elmo.options import SIGNS, ElmoOptions, sentence_bounds

Tensor = Any
Memory = tuple[Tensor, Tensor]
"""What an LSTM remembers of each text: its last output (texts × width) and its cells."""

_WORDS_AT_ONCE = 128
"""The convolutions of a released model take 0.2 MB for each word."""


class ElmoNetwork(nn.Module):
    """Spelled words (texts × words × characters) to vectors (texts × words × 2 widths).

    What passes through ``chars``, each of ``lstm``, each of ``outputs`` and ``mean`` are the
    model's places. A layer passes through its output only on the way out: an intervention there
    does not reach the next layer.

    Beginning and end of the sentence are added as edges, not as tokens of the text, so they are
    neither given out nor changed where something acts on tokens. To the other tokens they carry
    nothing about the text: the state of the beginning reaches them only ahead, that of the end only
    back.
    """

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.chars = Characters(options)
        self.lstm = nn.ModuleList(BothWays(options, n) for n in range(options.layers))
        self.outputs = nn.ModuleList(nn.Identity() for _ in range(options.layers + 1))
        self.mean = LayerMean()

    def forward(self, input_ids: Tensor) -> Tensor:
        """The mean of all layers."""
        found = self.layers(input_ids)[0]
        given = [output(layer) for output, layer in zip(self.outputs, found, strict=True)]
        return self.mean(torch.stack(given))

    def layers(
        self, input_ids: Tensor, memories: Sequence[Sequence[Memory]] | None = None
    ) -> tuple[list[Tensor], list[Sequence[Memory]]]:
        """The character layer, concatenated with itself, and each LSTM's output; then memories.

        Official code begins each batch with what it remembers of the one before, which makes
        results depend on earlier texts. ``memories`` exists to compare with it; nothing
        else here uses it.
        """
        tokens, edges = self.chars(input_ids)
        tokens, edges = torch.cat([tokens] * 2, dim=-1), torch.cat([edges] * 2, dim=-1)
        edges = edges.expand(len(tokens), -1, -1)
        found, kept = [tokens], []
        for number, layer in enumerate(self.lstm):
            before = None if memories is None else memories[number]
            tokens, edges, memory = layer(tokens, edges, before)
            found.append(tokens)
            kept.append(memory)
        return found, kept


class LayerMean(nn.Module):
    """Layers × texts × words × width to their mean."""

    def forward(self, layers: Tensor) -> Tensor:
        """Every layer counts the same."""
        return layers.mean(dim=0)


class Characters(nn.Module):
    """Convolutions over characters, their maxima, highways and a projection."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self._bounds = sentence_bounds(options.word_length)
        self._activation = torch.relu if options.activation == "relu" else torch.tanh
        self.characters = nn.Embedding(SIGNS, options.character_width, padding_idx=0)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(options.character_width, count, width) for width, count in options.filters
        )
        self.highways = nn.ModuleList(Highway(options.convolved) for _ in range(options.highways))
        self.projection = nn.Linear(options.convolved, options.width)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors of the words (texts × words × width), and of the sentence's bounds (1 × 2 …)."""
        distinct, which = ids.reshape(-1, ids.shape[-1]).unique(dim=0, return_inverse=True)
        parts = distinct.split(_WORDS_AT_ONCE)
        words = torch.cat([self._of_words(part) for part in parts])
        edges = self._of_words(ids.new_tensor(self._bounds))
        return words[which].reshape(*ids.shape[:2], -1), edges[None]

    def _of_words(self, ids: Tensor) -> Tensor:
        letters = self.characters(ids).transpose(1, 2)
        found = [
            self._activation(convolution(letters).amax(dim=-1)) for convolution in self.convolutions
        ]
        state = torch.cat(found, dim=-1)
        for highway in self.highways:
            state = highway(state)
        return self.projection(state)


class Highway(nn.Module):
    """g · relu(W x + b) + (1 − g) · x, with g = σ(V x + c)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.new = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, state: Tensor) -> Tensor:
        """As much of the new as the gate says."""
        gate = torch.sigmoid(self.gate(state))
        return gate * torch.relu(self.new(state)) + (1 - gate) * state


class BothWays(nn.Module):
    """One layer: a forward and a backward LSTM, concatenated."""

    def __init__(self, options: ElmoOptions, number: int) -> None:
        super().__init__()
        self._skips = options.skips and number > 0
        self.ahead = ClippedLstm(options)
        self.back = ClippedLstm(options)

    def forward(
        self, tokens: Tensor, edges: Tensor, memory: Sequence[Memory] | None = None
    ) -> tuple[Tensor, Tensor, tuple[Memory, Memory]]:
        """The layer at the tokens and at the edges, and what both LSTMs remember."""
        state = torch.cat([edges[:, :1], tokens, edges[:, 1:]], dim=1)
        first, second = state.chunk(2, dim=-1)
        before = memory or (None, None)
        ahead, after_ahead = self.ahead(first, before[0])
        back, after_back = self.back(second.flip(1), before[1])
        both = torch.cat([ahead, back.flip(1)], dim=-1)
        if self._skips:
            both = both + state
        edges = torch.cat([both[:, :1], both[:, -1:]], dim=1)
        return both[:, 1:-1], edges, (after_ahead, after_back)


class ClippedLstm(nn.Module):
    """An LSTM with projected output, and limits on its cells and its output.

    c = clip(σ(f) · c + σ(i) · tanh(j)) and h = clip(P (σ(o) · tanh(c))), where i, j, f and o are
    linear in the input and in the h before; f contains the constant 1 that TensorFlow adds.
    """

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self._cell_clip, self._clip = options.cell_clip, options.projection_clip
        self.input = nn.Linear(options.width, 4 * options.cells)
        self.recurrent = nn.Linear(options.width, 4 * options.cells, bias=False)
        self.projection = nn.Linear(options.cells, options.width, bias=False)

    def forward(self, inputs: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory]:
        """The outputs at every step (texts × steps × width), and the final memory."""
        gates = self.input(inputs)
        width, cells = self.projection.out_features, self.projection.in_features
        if memory is None:
            memory = inputs.new_zeros(len(inputs), width), inputs.new_zeros(len(inputs), cells)
        hidden, cell = memory
        outputs = []
        for step in range(inputs.shape[1]):
            now = gates[:, step] + self.recurrent(hidden)
            enter, new, keep, out = now.chunk(4, dim=-1)
            cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
            cell = _clipped(cell, self._cell_clip)
            hidden = self.projection(torch.sigmoid(out) * torch.tanh(cell))
            hidden = _clipped(hidden, self._clip)
            outputs.append(hidden)
        return torch.stack(outputs, dim=1), (hidden, cell)


def _clipped(state: Tensor, limit: float | None) -> Tensor:
    return state if limit is None else state.clamp(-limit, limit)
