"""The sentences that a model's quality is measured on: the bundled ones, or a file's."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.measurement import Draws, Interval
from unslant.core.record import Subject
from unslant.core.text_files import small_text
from unslant.core.types import Array
from unslant.metrics.uncertainty import Influence, over_pairs

BUNDLED = "plain-english"
_LARGEST_FILE = 64 << 20
_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class HeldOutText:
    """Sentences, one per line of a file."""

    name: str
    sentences: tuple[str, ...]
    concept: str = ""

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def content_hash(self) -> str:
        """A hash of the sentences."""
        return hashlib.sha256("\n".join(self.sentences).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title="Held-out text",
            about="How well a language model predicts text that it was not changed on.",
            sha256=self.content_hash,
            facts={"texts": len(self)},
        )


def held_out(text: str) -> HeldOutText:
    """The bundled sentences, or those of a text file with one per line; empty lines are skipped.

    >>> len(held_out("plain-english"))
    60
    """
    if text == BUNDLED:
        bundled = files("unslant.probes.held_out") / "data" / f"{BUNDLED}.txt"
        content = bundled.read_text(encoding="utf-8")
    else:
        try:
            content = small_text(Path(text), _LARGEST_FILE)
        except ValueError as error:
            raise FileFormatError(
                f"The held-out text {text} cannot be read: {error}. Give a text file with one "
                f"sentence per line, or {BUNDLED}."
            ) from error
    sentences = tuple(line.strip() for line in content.split("\n") if line.strip())
    if len(sentences) < _FEWEST:
        raise FileFormatError(
            f"{text} has {len(sentences)} sentences; expected at least {_FEWEST}, one per line."
        )
    return HeldOutText(name=BUNDLED if text == BUNDLED else Path(text).name, sentences=sentences)


def one_for_each(
    given: ArrayLike, texts: Sequence[str], *, low: float, high: float, who: str
) -> NDArray[np.float64]:
    """Answers that are one number for each text, within limits; anything else is refused."""
    found = np.asarray(given, dtype=np.float64)
    if found.shape != (len(texts),):
        raise UnslantError(
            f"{who} gave an array of shape {found.shape} for {len(texts)} texts; expected one "
            f"number for each."
        )
    is_wrong = ~((found >= low) & (found <= high)) | ~np.isfinite(found)
    if is_wrong.any():
        place = int(is_wrong.argmax())
        raise UnslantError(
            f'{who} gave {found[place]:g} for "{texts[place][:60]}"; expected a number from '
            f"{low:g} to {high:g}."
        )
    return found


# A ratio of sums over sentences, with its interval.

_SHOWN = 10


def ratio_over_sentences(
    sums: Array,
    counts: Array,
    form: Callable[[Array], Array],
    *,
    seed: int,
    purpose: tuple[str, ...],
) -> tuple[float, Interval | None, Draws | None, Array]:
    """form(Σ sums / Σ counts), its BCa interval over sentences, and the value without each.

    Pieces of one sentence depend on each other, so whole sentences are resampled.
    """

    def statistic(samples: tuple[NDArray[np.int64], ...]) -> Array:
        [drawn] = samples
        return form(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))

    value = float(statistic((np.arange(len(sums))[None],))[0])
    interval, draws, by_group = over_pairs(
        statistic, [len(sums)], seed=seed, purpose=purpose, over="sentences"
    )
    return value, interval, draws, by_group[0] if by_group else np.empty(0)


def most_influential(
    value: float, without: Array, sentences: tuple[str, ...], name: str
) -> Influence:
    """The ten sentences whose absence changes the value most, the strongest first."""
    strongest = np.argsort(-np.abs(without - value), kind="stable")[:_SHOWN]
    return tuple(
        {"word": sentences[place], "set": name, "without": float(without[place])}
        for place in strongest.tolist()
    )
