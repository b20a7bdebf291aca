"""The cosine of every name with the rest of its sentence, a block of slots at a time."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np

from unslant.concepts.augmentation import Slot, slots
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
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
class SlotBlock:
    """Slots with their sentiment and, for each name, the cosine."""

    cosines: Array
    scores: Array
    keys: tuple[str, ...]


@dataclass
class SlotReading:
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

    def blocks(self, progress: Progress | None = None) -> Iterator[SlotBlock]:
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

    def _block(self, given: Sequence[tuple[Slot, float]]) -> SlotBlock:
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
        return SlotBlock(
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


# m(w), the association of a name with positive rather than negative sentences.

Formula = Literal["weighted-mean", "published", "released-code"]

_NOTHING = 1e-12


def associations(cosines: Array, weights: Array, counts: Array, formula: Formula) -> Array:
    """m of each name from Σ c·cos (… × 2 × names), Σ c (… × 2) and n (… × 2).

    "weighted-mean": Σ_A c·cos / Σ_A c − Σ_B c·cos / Σ_B c. "published" divides each mean by its
    number of sentences once more, as printed by Dutta (2019), so that both means shrink, the one
    over more sentences the most. "released-code" takes cosine distances, 1 − cos, so that the sign
    is the opposite. NaN if there are no positive or no negative sentences.
    """
    below = weights * counts if formula == "published" else weights
    below = np.where(weights > _NOTHING, below, np.nan)[..., None]
    means = cosines / below
    found = np.asarray(means[..., 0, :] - means[..., 1, :])
    return -found if formula == "released-code" else found


# ACEAT's sums over a corpus for each name, also on resamples of the sentences.
#
# Memory holds (resamples + parts) × 2 sentiments × names numbers, however many sentences there
# are. How often a resample has a sentence is a Poisson number (Hanley and MacGibbon 2006), drawn
# from the seed and the text of the sentence alone: all names of a sentence, all its mentions and
# all its repetitions move together, and another model is resampled in the same way. For the
# acceleration of the interval, the text also decides to which of 100 parts a sentence belongs, of
# which one at a time is left out (a jackknife of groups).

PARTS = 100


class Sums:
    """Σ c·cos, Σ c and n for positive (0) and negative (1) sentences."""

    def __init__(self, names: int, resamples: int, seed: int) -> None:
        self.resamples, self.seed = resamples, seed
        rows = 1 + resamples + PARTS
        self._cosines = np.zeros((rows, 2, names))
        self._weights = np.zeros((rows, 2))
        self._counts = np.zeros((rows, 2))
        self._used = hashlib.sha256()

    def add(self, cosines: Array, scores: Array, keys: Sequence[str]) -> None:
        """Slots × names, the sentiment of each slot (not 0), and the text it comes from."""
        if not len(keys):
            return
        for key in keys:
            self._used.update(key.encode() + b"\n")
        draws = np.stack([self._draws(key) for key in keys], axis=1)  # rows × slots
        for sign, chosen in enumerate((scores > 0, scores < 0)):
            confidence = np.abs(scores[chosen])
            drawn = draws[:, chosen]
            self._cosines[:, sign] += drawn @ (confidence[:, None] * cosines[chosen])
            self._weights[:, sign] += drawn @ confidence
            self._counts[:, sign] += drawn.sum(axis=1)

    def _draws(self, key: str) -> Array:
        """How often the corpus, each resample and each part has a sentence."""
        found = np.zeros(len(self._weights))
        found[0] = 1
        if self.resamples:
            rng = generator(self.seed, "aceat sentences", key)
            found[1 : 1 + self.resamples] = rng.poisson(1.0, self.resamples)
        part = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % PARTS
        found[1 + self.resamples + part] = 1
        return found

    @property
    def used(self) -> str:
        """A hash of the sentences that went into the sums, in order."""
        return self._used.hexdigest()

    @property
    def counts(self) -> tuple[int, int]:
        """How many positive and negative slots there are."""
        positive, negative = self._counts[0]
        return int(positive), int(negative)

    @property
    def mean_confidence(self) -> tuple[float, float]:
        """The mean confidence of positive and negative slots."""
        first, second = self._weights[0] / np.maximum(self._counts[0], 1)
        return float(first), float(second)

    def mean_cosines(self) -> Array:
        """The weighted mean cosine of each name with positive and with negative sentences."""
        return np.asarray(self._cosines[0] / self._weights[0][:, None])

    def associations(self, formula: Formula) -> tuple[Array, Array, Array]:
        """m of each name: for all sentences, on each resample, and without each part."""
        end = 1 + self.resamples
        values = associations(self._cosines[:end], self._weights[:end], self._counts[:end], formula)
        is_part = self._counts[end:].sum(axis=1) > 0
        without = associations(
            self._cosines[0] - self._cosines[end:][is_part],
            self._weights[0] - self._weights[end:][is_part],
            self._counts[0] - self._counts[end:][is_part],
            formula,
        )
        return values[0], values[1:], without
