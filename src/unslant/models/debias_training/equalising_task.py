"""DebiasBERT-style training as a task: the model's own loss, and gaps to be equalised."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unslant.core.errors import UnslantError
from unslant.core.record import Fact
from unslant.models.debias_training.debias_bert import DebiasBert
from unslant.models.debias_training.language_task import Asked, LanguageTask, language_loss
from unslant.models.debias_training.task import logits_at
from unslant.models.debias_training.tuning import Setup
from unslant.models.debias_training.word_sentences import (
    FoundSentences,
    Gaps,
    Sentences,
    WordSentence,
    group_words,
    in_turns,
    masked,
    of_one_piece,
    piece_pairs,
    prone,
    ungrouped,
    words_of_lists,
)

_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class EqualisingBatch:
    """Sentences for the model's own loss, and the gaps of the other terms."""

    asked: Asked
    prone: Gaps
    clustered: Gaps | None


class EqualisingTask(LanguageTask):
    """Words of a pair, and of two clusters, become equally probable."""

    terms = (
        ("equalising", "equalising term"),
        ("declustering", "declustering term"),
        ("language_loss", "language-model loss"),
    )

    def __init__(self, how: DebiasBert, on: Setup) -> None:
        super().__init__(how, on)
        self.how, tokens = how, on.model.tokens
        self.pairs = torch.tensor(piece_pairs(on.concept, how.pairs, tokens))
        paired = {str(cell) for row in on.concept.table(how.pairs).rows for cell in row}
        grouped = sorted(paired | {w for some in group_words(on.concept).values() for w in some})
        targets = words_of_lists(on.concept, how.targets, {word.lower() for word in grouped})
        text = Sentences(
            path=how.path,
            tokens=tokens,
            sentences=how.sentences,
            longest=how.longest,
            most=how.most,
            seed=how.seed,
            progress=on.progress,
        )
        what = "one group word and a target word"
        askable = sorted(of_one_piece(sorted(paired), tokens))
        self.prone = text.found(prone(text, grouped, targets), askable, what)
        self.clusters: list[Tensor] = []
        self.clustered: FoundSentences | None = None
        if how.clusters:
            lists = _two_lists(how.clusters)
            known = [
                of_one_piece(words_of_lists(on.concept, name, set()), tokens) for name in lists
            ]
            shared = set(known[0].values()) & set(known[1].values())
            known = [{w: n for w, n in each.items() if n not in shared} for each in known]
            for name, each in zip(lists, known, strict=True):
                if not each:
                    raise UnslantError(f'No word of "{name}" is a single piece of this model.')
            self.clusters = [torch.tensor(sorted(set(each.values()))) for each in known]
            stereotyped = sorted({word for each in known for word in each})
            found = text.found(ungrouped(text, grouped), stereotyped, "a stereotyped word")
            self.clustered = found

    @property
    def facts(self) -> dict[str, Fact]:
        """How many pairs, gaps and sentences there are."""
        found = {
            **super().facts,
            "pairs": len(self.pairs),
            "gaps": len(self.prone.train),
            "held-out-gaps": len(self.prone.held_out),
        }
        if self.clustered is not None:
            found["clustered-gaps"] = len(self.clustered.train)
        return found

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Any]]:
        """As many gaps of each kind as sentences."""
        size, steps = self.how.batch, self.how.steps
        kinds = [(self.prone, "prone"), (self.clustered, "clustered")]
        orders = [
            None
            if found is None
            else in_turns(len(found.train), (number - 1) * steps * size, steps * size, seed, kind)
            for found, kind in kinds
        ]
        for step, (_, asked) in enumerate(super().batches(number, seed)):
            rows = slice(step * size, (step + 1) * size)
            gaps = [
                None
                if found is None or order is None
                else self._masked([found.train[row] for row in order[rows]])
                for (found, _), order in zip(kinds, orders, strict=True)
            ]
            assert gaps[0] is not None
            yield size, EqualisingBatch(asked, gaps[0], gaps[1])

    def loss(self, network: nn.Module, batch: Any) -> Tensor:
        """The model's own loss and both terms."""
        loss = language_loss(network, batch.asked)
        loss = loss + self.how.weight * self.equalising(network, batch.prone)
        if batch.clustered is not None:
            loss = loss + self.how.decluster * self.declustering(network, batch.clustered)
        return loss

    def equalising(self, network: nn.Module, gaps: Gaps) -> Tensor:
        """The mean of |log p(a) − log p(b)| over gaps and pairs; what p is divided by cancels."""
        logits = logits_at(network, gaps.shown, gaps.at)
        return (logits[:, self.pairs[:, 0]] - logits[:, self.pairs[:, 1]]).abs().mean()

    def declustering(self, network: nn.Module, gaps: Gaps) -> Tensor:
        """The mean of |log Σ p(A) − log Σ p(B)| over gaps."""
        logits = logits_at(network, gaps.shown, gaps.at)
        one, other = (logits[:, pieces].logsumexp(dim=1) for pieces in self.clusters)
        return (one - other).abs().mean()

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        """Every term on held-out sentences."""
        language = self.language_loss(network)
        found = {"language_loss": language}
        found["equalising"] = self._mean(self.prone.held_out, self.equalising, network)
        score = -(language + self.how.weight * found["equalising"])
        if self.clustered is not None:
            apart = self._mean(self.clustered.held_out, self.declustering, network)
            found["declustering"] = apart
            score -= self.how.decluster * apart
        return {"score": score, **found}

    def _mean(self, some: tuple[WordSentence, ...], term: Any, network: nn.Module) -> float:
        total = 0.0
        for start in range(0, len(some), _AT_ONCE):
            gaps = self._masked(some[start : start + _AT_ONCE])
            total += float(term(network, gaps)) * len(gaps)
        return total / len(some)

    def _masked(self, some: Any) -> Gaps:
        return masked(some, self.marks.gap)


def _two_lists(named: str) -> list[str]:
    lists = [name.strip() for name in named.split("+")]
    if len(lists) != 2:
        raise UnslantError(
            f'"clusters" must name two lists of the concept, as in '
            f'female-stereotyped-words+male-stereotyped-words, not "{named}".'
        )
    return lists
