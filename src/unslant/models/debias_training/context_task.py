"""Context-debias as a task of the trainer: two terms, each on sentences of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unslant.core.record import Fact
from unslant.models.debias_training.context_debias import ContextDebias
from unslant.models.debias_training.task import TuningTask, hidden_states, judged
from unslant.models.debias_training.tuning import Setup
from unslant.models.debias_training.word_sentences import (
    Counter,
    PaddedPieces,
    Sentences,
    WordSentence,
    group_words,
    in_turns,
    padded,
    words_of_lists,
)

_LAYERS = {"all": slice(None), "first": slice(0, 1), "last": slice(-1, None)}
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class ContextBatch:
    """Sentences with target words, and sentences with group words, of one round."""

    round: int
    targets: PaddedPieces
    attributes: PaddedPieces


class ContextTask(TuningTask[ContextBatch]):
    """Targets become orthogonal to attributes; sentences with attributes stay as they were."""

    terms = (
        ("bias", "bias term"),
        ("regulariser", "regulariser"),
    )

    def __init__(self, how: ContextDebias, on: Setup) -> None:
        super().__init__(how, on, head=None)
        self.how = how
        self.groups = group_words(on.concept)
        grouped = [word for words in self.groups.values() for word in words]
        lowered = {word.lower() for word in grouped}
        targets = words_of_lists(on.concept, how.targets, lowered)
        text = Sentences(
            path=how.path,
            tokens=on.model.tokens,
            sentences=how.sentences,
            longest=how.longest,
            most=how.most,
            seed=how.seed,
            progress=on.progress,
        )
        of_groups, of_targets = Counter(grouped), Counter(targets)
        of_one_kind = (
            each for each in text.read() if bool(of_groups.of(each)) != bool(of_targets.of(each))
        )
        # One pass over both kinds of sentences; the index tells which kind each one is.
        both = text.found(of_one_kind, [*grouped, *targets], "words of the groups or targets")
        self.attributes = [each for each in both.train if each.word.lower() in lowered]
        self.targets = [each for each in both.train if each.word.lower() not in lowered]
        self.dev_attributes = [each for each in both.held_out if each.word.lower() in lowered]
        self.dev_targets = [each for each in both.held_out if each.word.lower() not in lowered]
        self.missing = both.missing
        text.check("a group word", self.attributes, self.dev_attributes)
        text.check("a target word", self.targets, self.dev_targets)
        self._known: tuple[int, Tensor] | None = None

    def build_network(self) -> nn.Module:
        """A copy of the model's network; weights that no loss term uses are frozen."""
        network = super().build_network()
        if self.how.layers == "first" and not self.how.beta:
            first = hidden_states(network, batch_of(self.targets[:1]))[:, :, 0].sum()
            values = [value for value in network.parameters() if value.requires_grad]
            for value, found in zip(
                values, torch.autograd.grad(first, values, allow_unused=True), strict=True
            ):
                value.requires_grad_(found is not None and bool(found.any()))
        return network

    @property
    def facts(self) -> dict[str, Fact]:
        """How many words and sentences there are."""
        return {
            "attribute-words": len({each.word for each in self.attributes}),
            "target-words": len({each.word for each in self.targets}),
            "attribute-sentences": len(self.attributes),
            "target-sentences": len(self.targets),
            "held-out-attribute-sentences": len(self.dev_attributes),
            "held-out-target-sentences": len(self.dev_targets),
            "words-without-sentences": self.missing,
        }

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, ContextBatch]]:
        """As many sentences of each kind in every batch."""
        size, steps = self.how.batch, self.how.steps
        chosen = [
            in_turns(len(some), (number - 1) * steps * size, steps * size, seed, kind)
            for some, kind in ((self.targets, "targets"), (self.attributes, "attributes"))
        ]
        for step in range(steps):
            rows = slice(step * size, (step + 1) * size)
            targets, attributes = (
                batch_of([some[row] for row in order[rows]])
                for some, order in zip((self.targets, self.attributes), chosen, strict=True)
            )
            yield size, ContextBatch(number, targets, attributes)

    def loss(self, network: nn.Module, batch: ContextBatch) -> Tensor:
        """α · bias + β · regulariser."""
        if self._known is None or self._known[0] != batch.round:
            with judged(network):
                self._known = batch.round, self.vectors(network)
        loss = self.how.beta * self.regulariser(network, batch.attributes)
        if self.how.alpha:
            loss = loss + self.how.alpha * self.bias(network, batch.targets, self._known[1])
        return loss

    def bias(self, network: nn.Module, targets: PaddedPieces, vectors: Tensor) -> Tensor:
        """The mean of (v · E)² over sentences, attributes and layers."""
        states = hidden_states(network, targets)[:, :, _LAYERS[self.how.layers]]
        if self.how.level == "token":
            rows = torch.einsum("sp,spld->sld", torch.from_numpy(targets.word), states)
            return torch.einsum("sld,ald->sal", rows, vectors).square().mean()
        products = torch.einsum("spld,ald->spal", states, vectors).square().mean(dim=(2, 3))
        weights = torch.from_numpy(targets.is_piece).float()
        return ((products * weights).sum(dim=1) / weights.sum(dim=1)).mean()

    def regulariser(self, network: nn.Module, attributes: PaddedPieces) -> Tensor:
        """The mean of ‖E − E before‖² over pieces and layers."""
        now = hidden_states(network, attributes)
        with torch.no_grad():
            before = hidden_states(self.on.model.network, attributes)
        return (
            (now - before)
            .square()
            .sum(dim=3)
            .mean(dim=2)[torch.from_numpy(attributes.is_piece)]
            .mean()
        )

    def vectors(self, network: nn.Module) -> Tensor:
        """v: attributes × layers × width, of the network as it is."""
        by_word = [each.word for each in self.attributes]
        keys = self._keys()
        order = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
        total: Tensor | None = None
        counts = torch.zeros(len(order))
        for start in range(0, len(by_word), _AT_ONCE):
            some = self.attributes[start : start + _AT_ONCE]
            batch = batch_of(some)
            states = hidden_states(network, batch)[:, :, _LAYERS[self.how.layers]]
            rows = torch.einsum("sp,spld->sld", torch.from_numpy(batch.word), states)
            if total is None:
                total = rows.new_zeros((len(order), *rows.shape[1:]))
            places = torch.tensor([order[keys[each.word]] for each in some])
            total.index_add_(0, places, rows)
            counts.index_add_(0, places, torch.ones(len(some)))
        assert total is not None
        return total / counts[:, None, None]

    def _keys(self) -> dict[str, str]:
        """Which vector each word with sentences counts for: its own, or its group's."""
        there = {each.word for each in self.attributes}
        if self.how.attributes == "words":
            return {word: word for word in sorted(there)}
        return {
            word: group for group, words in self.groups.items() for word in words if word in there
        }

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """Both terms on sentences that were not trained on, with v of the network as it is."""
        vectors = self.vectors(network)
        bias = sum(
            float(self.bias(network, batch_of(some), vectors)) * len(some)
            for some in _parts(self.dev_targets)
        ) / len(self.dev_targets)
        total, pieces = 0.0, 0
        for some in _parts(self.dev_attributes):
            batch = batch_of(some)
            count = int(batch.is_piece.sum())
            total += float(self.regulariser(network, batch)) * count
            pieces += count
        kept = total / pieces
        score = -(self.how.alpha * bias + self.how.beta * kept)
        return {"score": score, "bias": bias, "regulariser": kept}


def batch_of(some: Sequence[WordSentence]) -> PaddedPieces:
    """Sentences with the weights of their words' pieces."""
    return padded([each.pieces.ids for each in some], [each.pieces.word for each in some])


def _parts(some: Sequence[WordSentence]) -> Iterator[Sequence[WordSentence]]:
    for start in range(0, len(some), _AT_ONCE):
        yield some[start : start + _AT_ONCE]
