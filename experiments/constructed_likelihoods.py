"""Language models made by hand: they prefer frequent words, and are biased only if told to.

The logarithm of a text's marked words is the sum of how much the model likes each of them, wherever
it is. That depends on the word's random frequency, on its number of pieces, and on a tilt: in the
model's text, the words of the more stereotyped sentences happen to be more or less frequent.
Visible words help as much as they are liked, more so in longer texts; contexts differ in how far
they override what is liked; and every text has noise of its own. A planted bias adds to texts in
which a group's word meets a word that stereotypes associate with it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from scipy.special import ndtri

from unslant.core.types import Array
from unslant.predictors.protocols import Masking

_PARTS = re.compile(r"(\[\[.*?\]\])")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_USUAL_LENGTH = 6
_BASE = -200.0


@cache
def _parsed(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The marked and the other words."""
    marked: list[str] = []
    others: list[str] = []
    for part in _PARTS.split(text):
        (marked if part.startswith("[[") else others).extend(_WORD.findall(part.casefold()))
    return tuple(marked), tuple(others)


@cache
def _number(text: str) -> int:
    import hashlib

    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def uniform(texts: Sequence[str], seed: int) -> Array:
    """A number in (0, 1) for each text, the same whatever else is asked (splitmix64)."""
    with np.errstate(over="ignore"):
        state = np.array([_number(text) for text in texts], dtype=np.uint64)
        state += np.uint64((seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
        state ^= state >> np.uint64(31)
    return (state.astype(np.float64) + 0.5) / 2.0**64


def normal(texts: Sequence[str], seed: int) -> Array:
    """A standard normal number for each text."""
    return np.asarray(ndtri(uniform(texts, seed)))


class Constructed:
    """A model of one seed; ``associated`` says which words go with which, and how much.

    ``sides`` has 1 for words of the more stereotyped sentences, and −1 for those of the others.
    """

    def __init__(
        self,
        seed: int,
        *,
        bias: float = 0.0,
        associated: Mapping[tuple[str, str], float] | None = None,
        sides: Mapping[str, float] | None = None,
        tilt: float = 0.5,
        noise: float = 1.0,
        frequency: float = 1.0,
        piece: float = 0.5,
        is_causal: bool = False,
    ) -> None:
        self.seed, self.bias, self.associated = seed, bias, dict(associated or {})
        self.noise, self.frequency, self.piece = noise, frequency, piece
        self.is_causal, self.sides = is_causal, dict(sides or {})
        self.tilt = tilt * float(normal(["tilt"], seed)[0])

    def liked(self, words: Sequence[str]) -> Array:
        """How much the model likes each word: its frequency less what its pieces cost."""
        lengths = np.array([len(word) for word in words], dtype=np.float64)
        frequent = self.frequency * normal([f"word {word}" for word in words], self.seed)
        tilted = self.tilt * np.array([self.sides.get(word, 0.0) for word in words])
        return np.asarray(frequent + tilted - self.piece * np.floor(lengths / 6))

    def log_likelihoods(self, texts: Sequence[str], masking: Masking = "words") -> Array:
        """One number for each text; what is hidden meanwhile makes no difference."""
        parsed = [_parsed(text) for text in texts]
        words = sorted({word for both in parsed for part in both for word in part})
        liked = dict(zip(words, self.liked(words).tolist(), strict=True))
        damping = 0.4 + 0.6 * uniform([" ".join(others) for _, others in parsed], self.seed + 7)
        found = self.noise * normal(list(texts), self.seed + 13) + _BASE
        for place, (marked, others) in enumerate(parsed):
            scale = damping[place] if len(marked) < len(others) else 1.0
            found[place] += scale * sum(liked[word] for word in marked)
            found[place] += len(marked) / _USUAL_LENGTH * sum(liked[word] for word in others)
            if self.bias:
                found[place] += self.bias * self._together((*marked, *others))
        return np.minimum(found, -1e-9)

    def _together(self, words: Sequence[str]) -> float:
        here = dict.fromkeys(words)
        return sum(self.associated.get((a, b), 0.0) for a in here for b in here)


def sides(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Whether each word is more often in the first or in the second sentence alone."""
    counted: dict[str, int] = {}
    for more, less in pairs:
        one, other = (set(_WORD.findall(text.casefold())) for text in (more, less))
        for word in one ^ other:
            counted[word] = counted.get(word, 0) + (1 if word in one else -1)
    return {word: float(np.sign(count)) for word, count in counted.items()}


def associations(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Every word of a pair's first sentence alone, with those of both: what a stereotype links."""
    found: dict[tuple[str, str], float] = {}
    for more, less in pairs:
        one, other = (set(_WORD.findall(text.casefold())) for text in (more, less))
        shared = [word for word in one & other if len(word) > 4] or sorted(one & other)
        for word in one - other:
            for near in shared:
                link = 1 / (len(shared) * len(one - other))
                found[word, near] = max(found.get((word, near), 0.0), link)
    return found
