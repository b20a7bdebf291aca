"""Contrasts between questions, and how a model scores questions so that gradients flow.

A contrast is what an item of a bias test says: the scores of some questions less those of others.
Stereotype less anti-stereotype, or the same of an item and its twin, are contrasts; without bias
they are 0 on average. A question is a text, or a context and what comes after it.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.models.language.hooks import Change, Hooks
from unslant.models.language.interventions import base_of
from unslant.models.language.layout import Site
from unslant.models.language.likelihood import NUMBERS_IN_A_BATCH, begin_of
from unslant.models.language.passes import TOKENS_IN_A_BATCH

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


Question = tuple[str, str]
"""A context, which may be empty, and the text after it."""
Reading = Sequence[tuple[Site, Change]]
Computed = Callable[[Reading], Any]
"""The scores of a batch as a tensor, while functions read the network."""


@dataclass(frozen=True)
class Contrasts:
    """Items, each a number of questions with the sign that their score has in it."""

    name: str
    items: tuple[Mapping[Question, float], ...]

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Every question once."""
        return tuple(dict.fromkeys(question for item in self.items for question in item))

    @cached_property
    def signs(self) -> Array:
        """Items × questions."""
        place = {question: number for number, question in enumerate(self.questions)}
        found = np.zeros((len(self.items), len(place)))
        for row, item in enumerate(self.items):
            for question, sign in item.items():
                found[row, place[question]] += sign
        return found

    @cached_property
    def content_hash(self) -> str:
        """A hash of the questions and signs."""
        lines = (f"{q!r} {sign}" for item in self.items for q, sign in item.items())
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def halves(self, seed: int = 0) -> tuple["Contrasts", "Contrasts"]:
        """Two random halves: one to choose by, one to check on."""
        if len(self.items) < 2:
            raise UnslantError(f"{self.name} has {len(self.items)} items; two halves need more.")
        order = generator(seed, "halves", self.content_hash).permutation(len(self.items))
        middle = len(order) // 2
        parts = (sorted(some.tolist()) for some in (order[:middle], order[middle:]))
        first, second = (replace(self, items=tuple(self.items[n] for n in part)) for part in parts)
        return first, second


class GradedScore(Protocol):
    """Scores questions by a model, as tensors through which gradients flow."""

    model: "TransformerModel"
    network: Any

    def batches(self, questions: Sequence[Question]) -> Iterator[tuple[list[int], Computed]]:
        """The rows of some questions, and what computes their scores."""


class NextSentenceScore:
    """log p(next) − log p(not next) by a next-sentence head."""

    def __init__(self, model: "TransformerModel") -> None:
        self.model, self.network = model, model.head("next-sentence")
        self._sign = 1 if model.next_sentence_check.column == 0 else -1

    def batches(self, questions: Sequence[Question]) -> Iterator[tuple[list[int], Computed]]:
        """Pairs of equal length together; only [CLS] is computed in the last block."""
        import torch

        pieces = self.model.tokens.pairs(*map(list, zip(*questions, strict=True)))
        for rows in _equal_lengths([len(item.ids) for item in pieces]):
            ids = torch.tensor([pieces[row].ids for row in rows])
            parts = torch.tensor([pieces[row].parts for row in rows])

            def computed(reading: Reading, ids: Any = ids, parts: Any = parts) -> Any:
                options = {"input_ids": ids, "token_type_ids": parts}
                logits = _run(self, options, reading, positions=None if reading else [0])
                return self._sign * (logits[:, 0] - logits[:, 1])

            yield rows, computed


class TextScore:
    """The log-likelihood of a text, or of what comes after a context.

    By a decoder from left to right; by an encoder with a masked head, every piece as it is seen in
    the whole text, nothing hidden (Kaneko and Bollegala 2022), because that takes one pass.
    """

    def __init__(self, model: "TransformerModel") -> None:
        self._is_causal = model.layout.architecture.is_decoder
        self.model = model
        self.network = model.head("causal" if self._is_causal else "masked")

    def batches(self, questions: Sequence[Question]) -> Iterator[tuple[list[int], Computed]]:
        """Texts of equal length together."""
        import torch

        texts = [f"{first} [[{text}]]" if first else f"[[{text}]]" for first, text in questions]
        pieces = self.model.tokens.of(texts)
        begin = begin_of(self.model) if self._is_causal else None
        read, counted = [], []
        for item in pieces:
            shift = int(begin is not None and item.ids[0] != begin)
            read.append((begin,) * shift + item.ids)
            counted.append({place + shift for place, _ in item.marked})
        # Every piece has a number for each piece of the vocabulary, and gradients as many more.
        most = NUMBERS_IN_A_BATCH // (2 * self.model.layout.pieces)
        for rows in _equal_lengths([len(ids) for ids in read], min(TOKENS_IN_A_BATCH, most)):
            ids = torch.tensor([read[row] for row in rows])
            counts = torch.tensor(
                [[float(n in counted[row]) for n in range(ids.shape[1])] for row in rows]
            )

            def computed(reading: Reading, ids: Any = ids, counts: Any = counts) -> Any:
                logits = _run(self, {"input_ids": ids}, reading)
                if self._is_causal:
                    logits, ids, counts = logits[:, :-1], ids[:, 1:], counts[:, 1:]
                logs = logits.log_softmax(dim=-1).gather(-1, ids[..., None])[..., 0]
                return (logs * counts).sum(dim=1)

            yield rows, computed


def _run(
    score: GradedScore, options: dict[str, Any], reading: Reading, positions: Any = None
) -> Any:
    with ExitStack() as stack:
        stack.enter_context(score.model.intervening(score.network, positions))
        stack.enter_context(Hooks(base_of(score.network), reading))
        return score.network(**options).logits


def _equal_lengths(lengths: Sequence[int], most: int = TOKENS_IN_A_BATCH) -> Iterator[list[int]]:
    """Batches of rows of one length, with a limit on the total number of pieces."""
    by_length: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        by_length.setdefault(length, []).append(row)
    for length, rows in sorted(by_length.items()):
        size = max(1, most // length)
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def item_values(score: GradedScore, contrasts: Contrasts) -> Array:
    """The contrast of each item."""
    import torch

    found = np.empty(len(contrasts.questions))
    with torch.inference_mode():
        for rows, computed in score.batches(contrasts.questions):
            found[rows] = computed(()).double().numpy()
    values: Array = contrasts.signs @ found
    return values


# First-order contributions of a model's heads to a contrast, in one pass.
#
# With a_t the result of a head at piece t and g_t the gradient of the mean contrast there,
# replacing a_t by a constant m everywhere changes the contrast by Σ g_t · (m − a_t) to first
# order (gradient × activation). It ranks heads; what a head does is shown by ablating it.


@dataclass(frozen=True)
class HeadAttribution:
    """For each layer and head: the change predicted if it is ablated, and its mean result."""

    predicted: Array
    means: Array
    """Layers × heads × width of a head."""


def head_attribution(
    score: GradedScore, contrasts: Contrasts, *, to_zero: bool = False
) -> HeadAttribution:
    """Gradient × activation of every head for the mean contrast; the mean is over all pieces."""
    import torch

    model = score.model
    layers, heads = model.layout.layers, model.layout.heads
    # Whole states, not a copy of all their columns, which nothing would be computed from.
    places = [Place("layer", n, "attention") for n in range(1, layers + 1)]
    sites = [replace(model.site(place), columns=None) for place in places]
    embeddings = model.site(Place("embeddings"))
    shares = contrasts.signs.mean(axis=0)
    along, gradients, sums = np.zeros((3, layers, heads * model.layout.head_width))
    pieces = 0
    with torch.enable_grad():
        for rows, computed in score.batches(contrasts.questions):
            states: list[Any] = []

            def keep(state: Any, states: list[Any] = states) -> Any:
                states.append(state)
                return state

            reading: list[tuple[Site, Change]] = [
                (embeddings, lambda state: state.detach().requires_grad_()),
                *((site, keep) for site in sites),
            ]
            total = (computed(reading) * torch.tensor(shares[rows], dtype=torch.float32)).sum()
            found = torch.autograd.grad(total, states)
            for layer, (state, gradient) in enumerate(zip(states, found, strict=True)):
                plain, slope = state.detach().double(), gradient.double()
                along[layer] += (plain * slope).sum(dim=(0, 1)).numpy()
                gradients[layer] += slope.sum(dim=(0, 1)).numpy()
                sums[layer] += plain.sum(dim=(0, 1)).numpy()
            pieces += states[0].shape[0] * states[0].shape[1]
    means = np.zeros_like(sums) if to_zero else sums / pieces
    shape = (layers, heads, model.layout.head_width)
    return HeadAttribution(
        predicted=(gradients * means - along).reshape(shape).sum(axis=2),
        means=means.reshape(shape),
    )
