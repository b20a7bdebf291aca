"""Heads that classify texts, pairs of texts or words: inference, sentiment and tags."""

from collections.abc import Hashable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.datasets.conll2003 import OUTSIDE
from unslant.datasets.nli.pairs import LABELS
from unslant.models.language.likelihood import WithHead
from unslant.models.language.passes import TOKENS_IN_A_BATCH
from unslant.models.language.tokens import PairPieces
from unslant.models.language.weights import Head

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


# An encoder with a head for tokens as a tagger of words.

Words = tuple[str, ...]


class TokenTagger(WithHead):
    """The most probable tag of the first piece of each word; other pieces have no say.

    Words are read as text with a space between each. A word without pieces is outside all entities.
    """

    head = "tokens"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.labels = tag_names(model)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Words]:
        """One tag for each word; each distinct sentence is read once, nothing is padded."""
        asked = [tuple(words) for words in sentences]
        distinct = list(dict.fromkeys(words for words in asked if words))
        pieces = self.model.tokens.words(distinct)
        lengths: dict[int, list[int]] = {}
        for row, item in enumerate(pieces):
            if len(item.ids) > self.model.tokens.most:
                raise UnslantError(
                    f'"{" ".join(distinct[row])[:60]}…" has {len(item.ids):,} pieces; '
                    f"{self.model.original.name} reads at most {self.model.tokens.most:,}. Shorten "
                    f"or split it."
                )
            lengths.setdefault(len(item.ids), []).append(row)
        found: dict[Words, Words] = {(): ()}
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                some = rows[start : start + size]
                best = self._best([pieces[row].ids for row in some])
                for row, tags in zip(some, best, strict=True):
                    firsts = pieces[row].firsts
                    found[distinct[row]] = tuple(
                        OUTSIDE if place < 0 else self.labels[tags[place]] for place in firsts
                    )
        return [found[words] for words in asked]

    def _best(self, ids: Sequence[Sequence[int]]) -> list[list[int]]:
        import torch

        found: list[list[int]] = self.logits(torch.tensor(ids)).argmax(dim=-1).tolist()
        return found


def tag_names(model: "TransformerModel") -> tuple[str, ...]:
    """The tags of a head's outputs, by the names in the configuration."""
    named = model.folder.config.get("id2label")
    known = named if isinstance(named, dict) else {}
    found = {int(number): str(label) for number, label in known.items() if str(number).isdigit()}
    names = tuple(found.get(number, "") for number in range(len(known)))
    if OUTSIDE not in names or not all(names):
        raise UnslantError(
            f"{model.original.name} is no tagger of entities: its configuration (id2label) names "
            f"{', '.join(names)[:100] or 'no labels'}; expected O, B-PER and the like. What its "
            f"outputs mean cannot be guessed. Train one: unslant train ner MODEL --data CONLL -o "
            f"OUT"
        )
    return names


# Logits of a classification head for texts, or for pairs of texts read together.

Logits = NDArray[np.float64]
Asked = TypeVar("Asked", bound=Hashable)


def text_logits(model: "TransformerModel", head: Head, texts: Sequence[str]) -> Logits:
    """The outputs of a head for each text; each distinct one is read once."""
    refuse_one_text(texts, model.name)
    distinct, rows = _distinct(texts)
    pieces = [PairPieces(item.ids, (0,) * len(item.ids)) for item in model.tokens.of(distinct)]
    return _logits(model, head, pieces)[rows]


def pair_logits(
    model: "TransformerModel",
    head: Head,
    firsts: Sequence[str],
    seconds: Sequence[str],
    *,
    marked: bool = True,
) -> Logits:
    """The outputs of a head for each pair; each distinct pair is read once.

    With ``marked``, a tokenizer that does not say which sentence is the second is refused.
    """
    distinct, rows = _distinct(list(zip(firsts, seconds, strict=True)))
    first, second = [one for one, _ in distinct], [two for _, two in distinct]
    return _logits(model, head, model.tokens.pairs(first, second, marked=marked))[rows]


def _distinct(asked: Sequence[Asked]) -> tuple[list[Asked], list[int]]:
    """The distinct questions, and the index of each question among them."""
    places = {item: number for number, item in enumerate(dict.fromkeys(asked))}
    return list(places), [places[item] for item in asked]


def _logits(model: "TransformerModel", head: Head, pieces: Sequence[PairPieces]) -> Logits:
    """Texts of equal length share a batch, so that nothing is padded.

    Unless the head reads every piece, the last block is computed for [CLS] only.
    """
    import torch

    network = model.head(head)
    lengths: dict[int, list[int]] = {}
    for row, item in enumerate(pieces):
        lengths.setdefault(len(item.ids), []).append(row)
    reads_all = getattr(network.config, "classifier_pooling", "cls") != "cls"
    has_parts = getattr(network.config, "type_vocab_size", 0) > 1
    found = np.empty((len(pieces), int(network.config.num_labels)))
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(network, None if reads_all else [0]))
        for length, rows in sorted(lengths.items()):
            size = max(1, TOKENS_IN_A_BATCH // length)
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                given: dict[str, Any] = {
                    "input_ids": torch.tensor([pieces[row].ids for row in chosen])
                }
                if has_parts:
                    given["token_type_ids"] = torch.tensor([pieces[row].parts for row in chosen])
                found[chosen] = network(**given).logits.double().numpy()
    return found


# An encoder fine-tuned on pairs of sentences as an inference model.


class EntailmentPredictor(WithHead):
    """Probabilities of entailment, neutral and contradiction from the head of a fine-tuned encoder.

    Both sentences are read together, so every pair has its own pass: ``reads_pairs`` tells
    probes that millions of pairs are too many.
    """

    head = "sequence"
    reads_pairs = True

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self._columns = _columns(model)

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> NDArray[np.float32]:
        """One row (entailment, neutral, contradiction) for each pair."""
        from scipy.special import softmax

        logits = pair_logits(self.model, self.head, premises, hypotheses, marked=False)
        return np.asarray(softmax(logits[:, self._columns], axis=1), dtype=np.float32)


def _columns(model: "TransformerModel") -> list[int]:
    """Which output means what, by the names in the configuration: they are in no fixed order."""
    found = {label.lower(): number for number, label in enumerate(model.folder.labels())}
    if set(found) != set(LABELS):
        shown = ", ".join(found) or "no labels"
        raise UnslantError(
            f"{model.original.name} is no inference model: its configuration (id2label) names "
            f"{shown}; expected {', '.join(LABELS)}. Which output means what cannot be guessed. "
            f"Train one: unslant train nli MODEL --data SNLI -o OUT"
        )
    return [found[label] for label in LABELS]


# An encoder fine-tuned on positive and negative texts as a sentiment scorer.

_POSITIVE = ("positive", "pos")
_NEGATIVE = ("negative", "neg")
_NEUTRAL = ("neutral", "neu")


class SentimentPredictor(WithHead):
    """p(positive) − p(negative) from the head of a fine-tuned encoder, from −1 to 1."""

    head = "sequence"

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self._signs = _signs(model)

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One number for each text."""
        from scipy.special import softmax

        return np.asarray(softmax(text_logits(self.model, self.head, texts), axis=1) @ self._signs)


def _signs(model: "TransformerModel") -> NDArray[np.float64]:
    """1 for the output that means positive, −1 for negative, 0 for neutral: by their names."""
    labels = [label.lower() for label in model.folder.labels()]
    found = np.array([(label in _POSITIVE) - (label in _NEGATIVE) for label in labels], float)
    known = {*_POSITIVE, *_NEGATIVE, *_NEUTRAL}
    if not set(labels) <= known or found.max(initial=0) < 1 or found.min(initial=0) > -1:
        shown = ", ".join(labels) or "no labels"
        raise UnslantError(
            f"{model.original.name} is no sentiment classifier: its configuration (id2label) names "
            f"{shown}; expected positive and negative, and perhaps neutral. Which output means "
            f"what cannot be guessed. Train one: unslant train sentiment MODEL --data FILE -o OUT"
        )
    return found
