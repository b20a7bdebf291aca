"""How likely a model with a head finds texts: batches of equal length, interventions in effect."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.core.record import Facts
from unslant.models.language.facts import model_facts
from unslant.models.language.tokens import without_marks
from unslant.models.language.weights import Head
from unslant.predictors.protocols import MASK

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


NUMBERS_IN_A_BATCH = 1 << 25
"""Every piece of a text has one number for each piece of the vocabulary: 128 MB in all."""


class AskedModel:
    """A language model that answers a probe, as records name it."""

    def __init__(self, model: "TransformerModel") -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The name in records and messages."""
        return self.model.name

    @property
    def sha256(self) -> str:
        """A hash of the weights and of the interventions."""
        return self.model.content_hash


class WithHead(AskedModel):
    """A language model and one of its heads; a missing head is refused immediately."""

    head: ClassVar[Head]

    def __init__(self, model: "TransformerModel") -> None:
        super().__init__(model)
        self.network = model.head(self.head)

    @property
    def facts(self) -> Facts:
        """The model's entry in a record."""
        return {**model_facts(self.model), "head": self.head}

    def logits(self, ids: Any, positions: Any = None) -> Any:
        """Texts × pieces × vocabulary, in single precision, with the interventions in effect.

        With ``positions`` (texts × places) the last block and the head are computed there only.
        """
        import torch

        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode())
            stack.enter_context(self.model.intervening(self.network, positions))
            return self.network(input_ids=ids).logits.float()

    def batches(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Any]]:
        """The rows of texts of equal length, with their pieces as an array; nothing is padded."""
        import torch

        lengths: dict[int, list[int]] = {}
        for row, item in enumerate(pieces):
            lengths.setdefault(len(item), []).append(row)
        for length, rows in sorted(lengths.items()):
            size = max(1, NUMBERS_IN_A_BATCH // (length * self.model.layout.pieces))
            for start in range(0, len(rows), size):
                chosen = rows[start : start + size]
                yield chosen, torch.tensor([pieces[row] for row in chosen])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def log_probabilities(logits: Any, pieces: Any) -> Any:
    """The natural logarithm of each piece's softmax over the vocabulary; rounding stays below 0."""
    found = logits.gather(-1, pieces[..., None])[..., 0].double()
    return (found - logits.logsumexp(-1).double()).clamp_max(0)


# A decoder as a causal language model.


class CausalPredictor(WithHead):
    """log p(text) = Σ log p(piece | pieces before it), over all pieces of the text.

    The first piece is conditioned on the sign for the beginning of a text: ``bos_token_id`` of the
    configuration, or ``eos_token_id`` in models that have no other. If the tokenizer puts that sign
    before the text itself, it is not put there twice; it is never scored.
    """

    head = "causal"

    def __init__(self, model: "TransformerModel") -> None:
        refuse_encoder(model)
        super().__init__(model)

    def log_likelihood(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One natural logarithm for each text; each distinct text is computed once."""
        refuse_one_text(texts, self.name)
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, self._scored(self._begun(distinct)), strict=True))
        return np.array([found[text] for text in texts], dtype=np.float64)

    def pieces(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Over how many pieces the logarithm of each text is summed."""
        return np.array([len(item) - 1 for item in self._begun(texts)], dtype=np.int64)

    def _scored(self, pieces: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        sums = np.empty(len(pieces))
        for rows, ids in self.batches(pieces):
            logits = self.logits(ids)[:, :-1]
            sums[rows] = log_probabilities(logits, ids[:, 1:]).sum(dim=1).numpy()
        return sums

    def _begun(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The pieces of each text after the sign for its beginning."""
        begin = begin_of(self.model)
        found = []
        for text, pieces in zip(texts, self.model.tokens.of(texts), strict=True):
            ids = pieces.ids if pieces.ids[0] == begin else (begin, *pieces.ids)
            if len(ids) > self.model.layout.positions:
                raise UnslantError(
                    f'"{text[:60]}…" has {len(ids):,} pieces with the sign for its beginning; '
                    f"{self.name} reads at most {self.model.layout.positions:,}. Shorten or split "
                    f"it."
                )
            found.append(ids)
        return found


def refuse_encoder(model: "TransformerModel") -> None:
    """Refuse a model that reads in both directions."""
    if not model.layout.architecture.is_decoder:
        raise UnslantError(
            f"{model.name} has no causal head: a {model.layout.kind} reads a text in both "
            f"directions, so it gives no likelihood of a text. Use a decoder such as GPT-2."
        )


def begin_of(model: "TransformerModel") -> int:
    """The sign for the beginning of a text."""
    config = model.folder.config
    for key in ("bos_token_id", "eos_token_id"):
        number = config.get(key)
        number = number[0] if isinstance(number, list) and number else number
        if isinstance(number, int) and 0 <= number < model.layout.pieces:
            return number
    raise UnslantError(
        f"{model.name} has no sign for the beginning of a text (bos_token_id or eos_token_id in "
        f"config.json), so its first piece has no probability."
    )


# The piece that a masked language model takes for a gap.

_USUAL = ("[MASK]", "<mask>")


def gap_piece(model: "TransformerModel") -> int:
    """The number of the model's own sign for a gap."""
    return gap_sign(model)[1]


def gap_sign(model: "TransformerModel") -> tuple[str, int]:
    """The model's own sign for a gap, as it is written and its number."""
    named = model.folder.json("tokenizer_config.json").get("mask_token")
    named = named.get("content") if isinstance(named, dict) else named
    known = model.tokens.vocabulary
    for sign in (named, *_USUAL):
        if isinstance(sign, str) and sign in known:
            return sign, known[sign]
    raise UnslantError(
        f"The tokenizer of {model.name} has no sign for a gap ({' or '.join(_USUAL)}), so the "
        f"model cannot be asked to fill one."
    )


# An encoder with its masked head as a masked language model.


class MaskedPredictor(WithHead):
    """log p(filler | text) = Σ log p(piece), with all pieces of the filler masked at once.

    The text is split into pieces with the filler in its place, so that these are the pieces that
    the model would see; then each of them becomes the model's own sign for a gap. The number of
    tokens therefore tells the model how many pieces the filler has, and its pieces are predicted
    independently: fillers with different numbers of pieces are not on one scale.
    """

    head = "masked"

    def log_probabilities(
        self, texts: Sequence[str], fillers: Sequence[str]
    ) -> NDArray[np.float64]:
        """One natural logarithm for each text; each distinct question is computed once."""
        return self._answers(texts, fillers)[:, 0]

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> NDArray[np.float64]:
        """1 for each text in which every piece of the filler is the most probable, else 0."""
        return self._answers(texts, fillers)[:, 1]

    def _answers(self, texts: Sequence[str], fillers: Sequence[str]) -> NDArray[np.float64]:
        asked = list(zip(texts, fillers, strict=True))
        distinct = {question: row for row, question in enumerate(dict.fromkeys(asked))}
        pieces = self.model.tokens.of([filled(*question) for question in distinct])
        sign = gap_piece(self.model)
        found = np.empty((len(distinct), 2))
        for rows, ids in self.batches([item.ids for item in pieces]):
            gaps = [list(pieces[row].word) for row in rows]
            masked = ids.clone()
            for number, gap in enumerate(gaps):
                masked[number, gap] = sign
            logits = self.logits(masked)
            scored = log_probabilities(logits, ids)
            is_best = logits.argmax(dim=-1) == ids
            for number, (row, gap) in enumerate(zip(rows, gaps, strict=True)):
                found[row] = float(scored[number, gap].sum()), float(is_best[number, gap].all())
        return found[[distinct[question] for question in asked]].reshape(-1, 2)


def filled(text: str, filler: str) -> str:
    """The text with the filler, marked, in its gap."""
    plain = without_marks(text)
    if plain.count(MASK) != 1:
        raise UnslantError(
            f'"{plain[:60]}" has {plain.count(MASK)} gaps; expected exactly one {MASK}.'
        )
    if not filler.strip():
        raise UnslantError(f'The filler for "{plain[:60]}" is empty; expected a word.')
    return plain.replace(MASK, f"[[{filler}]]")
