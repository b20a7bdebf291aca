"""The cosine of every name with the rest of its sentence, a block of slots at a time."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from unslant.concepts.augmentation import Slot, slots
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.types import Array
from unslant.datasets.conll2003 import TaggedSentence
from unslant.predictors.protocols import NameInContext
from unslant.probes.aceat.corpus import AceatCorpus

TEXTS_IN_A_BLOCK = 4_096
_NUMBERS_KEPT = 1 << 20
_SMALLEST = 1e-12

NEUTRAL = "neutral sentences"
NO_REST = "mentions that are the whole sentence"
NO_VECTOR = "mentions in sentences that the model cannot read"


@dataclass(frozen=True)
class Block:
    """Slots with their sentiment and, for each name, the cosine."""

    cosines: Array
    scores: Array
    keys: tuple[str, ...]


@dataclass
class Reading:
    """One pass of a model over a corpus; ``left_out`` counts what has no cosine and why.

    Slots of sentences that repeat are read once, if the repetition comes soon enough: as many are
    remembered as fit into a million numbers.
    """

    model: NameInContext
    corpus: AceatCorpus
    place: str
    left_out: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    texts_encoded: int = 0
    _kept: dict[bytes, Array] = field(default_factory=dict)

    def blocks(self, progress: Progress | None = None) -> Iterator[Block]:
        """All slots in positive and negative sentences, in blocks."""
        size = max(1, TEXTS_IN_A_BLOCK // len(self.corpus.names))
        done = 0
        sentences = self.corpus.sentences()
        while some := list(islice(sentences, size)):
            scores = self._labelled(some)
            found = [
                (slot, scores[slot.number])
                for slot in slots(some, mentions=self.corpus.mentions, kind=self.corpus.kind)
                if scores[slot.number]
            ]
            for begin in range(0, len(found), size):
                yield self._block(found[begin : begin + size])
            done += len(some)
            if progress:
                progress("Putting names into sentences", done, len(self.corpus))

    def _labelled(self, sentences: Sequence[TaggedSentence]) -> list[float]:
        scores = self.corpus.labeller.scores(sentences)
        self.left_out[NEUTRAL] += scores.count(0.0)
        self.labels["positive"] += sum(score > 0 for score in scores)
        self.labels["negative"] += sum(score < 0 for score in scores)
        return scores

    def _block(self, given: Sequence[tuple[Slot, float]]) -> Block:
        keys = [_key(slot) for slot, _ in given]
        new = {key: slot for key, (slot, _) in zip(keys, given, strict=True)}
        new = {key: slot for key, slot in new.items() if key not in self._kept}
        known = dict(zip(new, self._cosines(list(new.values())), strict=True))
        known |= {key: self._kept[key] for key in keys if key in self._kept}
        rows = np.stack([known[key] for key in keys])
        self._keep({key: known[key] for key in new})
        is_there = np.isfinite(rows).all(axis=1)
        for (slot, _), row in zip(given, rows, strict=True):
            if not np.isfinite(row).all():
                self.left_out[NO_REST if _is_alone(slot) else NO_VECTOR] += 1
        scores = np.array([score for _, score in given])
        texts = [str(slot.sentence) for slot, _ in given]
        return Block(
            rows[is_there],
            scores[is_there],
            tuple(text for text, keep in zip(texts, is_there, strict=True) if keep),
        )

    def _cosines(self, some: Sequence[Slot]) -> Array:
        """Slots × names; NaN where a cosine is not defined."""
        filled = [slot.filled(name) for slot in some for name in self.corpus.names.names]
        if not filled:
            return np.zeros((0, len(self.corpus.names)))
        self.texts_encoded += len(filled)
        names, rests = self.model.name_and_rest(
            [item.text for item in filled], [item.characters() for item in filled], self.place
        )
        return cosines(names, rests, len(filled)).reshape(len(some), -1)

    def _keep(self, rows: dict[bytes, Array]) -> None:
        most = _NUMBERS_KEPT // len(self.corpus.names)
        for key, row in rows.items():
            if len(self._kept) >= most and self._kept:
                del self._kept[next(iter(self._kept))]
            if most:
                self._kept[key] = row


def cosines(names: object, rests: object, count: int) -> Array:
    """The cosine of each pair of rows; NaN where one is zero or not there."""
    pair = [np.asarray(rows, dtype=np.float64) for rows in (names, rests)]
    for rows in pair:
        if rows.ndim != 2 or rows.shape != pair[0].shape or len(rows) != count:
            raise UnslantError(
                f"name_and_rest gave arrays of the shapes {pair[0].shape} and {pair[1].shape} for "
                f"{count} texts; expected two of the same shape, with one row for each text."
            )
    lengths = np.linalg.norm(pair[0], axis=1) * np.linalg.norm(pair[1], axis=1)
    products = np.vecdot(pair[0], pair[1])
    is_there = np.isfinite(lengths) & (lengths > _SMALLEST)
    found = np.full(count, np.nan)
    np.divide(products, lengths, out=found, where=is_there)
    return found


def _key(slot: Slot) -> bytes:
    text = f"{slot.sentence.words} {slot.mentions}"
    return hashlib.sha256(text.encode()).digest()[:16]


def _is_alone(slot: Slot) -> bool:
    words = sum(last - first + 1 for first, last, _ in slot.mentions)
    return words == len(slot.sentence.words)
