"""What ACEAT keeps of a corpus: sums for each name, also on resamples of the sentences.

Memory holds (resamples + parts) × 2 sentiments × names numbers, however many sentences there are.
How often a resample has a sentence is a Poisson number (Hanley and MacGibbon 2006), drawn from the
seed and the text of the sentence alone: all names of a sentence, all its mentions and all its
repetitions move together, and another model is resampled in the same way. For the acceleration of
the interval, the text also decides to which of 100 parts a sentence belongs, of which one at a time
is left out (a jackknife of groups).
"""

import hashlib
from collections.abc import Sequence

import numpy as np

from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.probes.aceat.formula import Formula, associations

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
