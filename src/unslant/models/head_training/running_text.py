"""Running text as pieces: sentences in their order, masked pieces, and next sentences."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.files import Progress, sha256_of_file
from unslant.core.types import Mask
from unslant.datasets.corpora import lines_of, sentences_in
from unslant.models.language.tokens import Tokens

# Running text as pieces: sentences in their order, for next-sentence prediction.

Swap = Callable[[str], str]
SHORTEST = 4
"""Sentences of fewer pieces, such as headings, say nothing about what follows them."""
_AT_ONCE = 2_000
_FEWEST = 100
_NAMED = 5


@dataclass(frozen=True, eq=False)
class RunningText:
    """Sentences as pieces, one after the other in ``ids``, sentence n from ``ends[n]`` on.

    ``follows[n]`` says whether sentence n + 1 directly follows sentence n in the text.
    """

    ids: NDArray[np.int32]
    ends: NDArray[np.int64]
    follows: NDArray[np.bool_]
    record: dict[str, Any]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def sentence(self, number: int) -> NDArray[np.int32]:
        """The pieces of a sentence."""
        return self.ids[self.ends[number] : self.ends[number + 1]]

    @property
    def content_hash(self) -> str:
        """A hash of the pieces and of what follows what."""
        digest = hashlib.sha256(b"unslant running text 1")
        for part in (self.ids, self.ends, self.follows):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def part(self, first: int, last: int) -> "RunningText":
        """Some of the sentences, as a text of their own."""
        ends = self.ends[first : last + 1]
        follows = self.follows[first:last].copy()
        follows[-1:] = False
        ids = self.ids[ends[0] : ends[-1]]
        return RunningText(ids, ends - ends[0], follows, self.record)

    def then(self, other: "RunningText") -> "RunningText":
        """This text and another one after it."""
        return RunningText(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.ends, other.ends[1:] + self.ends[-1]]),
            np.concatenate([self.follows, other.follows]),
            self.record,
        )


def read_text(
    path: Path,
    tokens: Tokens,
    *,
    longest: int,
    most: int,
    skip_bad: bool = False,
    swap: Swap | None = None,
    progress: Progress | None = None,
) -> RunningText:
    """The first ``most`` sentences of a text file, of 4 to ``longest`` pieces each.

    Lines that are not UTF-8 are refused by number, or counted and left out. With a ``swap`` every
    sentence is swapped before it is split into pieces.
    """
    bad: list[int] = []
    parts: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    for texts in _batches(path, most, bad, skip_bad):
        found = tokens.unframed([swap(text) for text in texts] if swap else texts)
        lengths += map(len, found)
        kept = (pieces for pieces in found if SHORTEST <= len(pieces) <= longest)
        parts.append(np.fromiter(chain.from_iterable(kept), np.int32))
        if progress:
            progress(f"Reading {path.name}", len(lengths), 0)
    each = np.array(lengths, np.int64)
    is_kept = (each >= SHORTEST) & (each <= longest)
    count = int(is_kept.sum())
    if count < _FEWEST:
        raise UnslantError(
            f"{path} has {count} sentences of {SHORTEST} to {longest} pieces; training needs at "
            f"least {_FEWEST}. Give a longer text."
        )
    return RunningText(
        np.concatenate(parts),
        np.concatenate([[0], np.cumsum(each[is_kept])]),
        np.append(is_kept[1:], False)[is_kept],
        {
            "file": path.name,
            "sha256": sha256_of_file(path),
            "sentences": count,
            "pieces": int(each[is_kept].sum()),
            "sentences_left_out": len(each) - count,
            "malformed_lines": len(bad),
            "first_malformed_lines": bad[:_NAMED],
        },
    )


def _batches(path: Path, most: int, bad: list[int], skip_bad: bool) -> Iterator[list[str]]:
    """Sentences, some at a time."""
    texts: list[str] = []
    count = 0
    for number, line in enumerate(lines_of(path), start=1):
        try:
            decoded = line.decode("utf-8")
        except UnicodeDecodeError as error:
            if not skip_bad:
                raise FileFormatError(
                    f"{path} line {number:,} is not UTF-8 at byte {error.start + 1:,}. Repair it, "
                    f"or leave out such lines with [[skip_bad|--skip-bad]]."
                ) from error
            bad.append(number)
            continue
        for text in sentences_in(decoded):
            texts.append(text)
            count += 1
            if count == most:
                yield texts
                return
        if len(texts) >= _AT_ONCE:
            yield texts
            texts = []
    if texts:
        yield texts


# Training examples of a language model: masked pieces, and next sentences.
#
# A pair is `[CLS] first [SEP] second [SEP]`. In half of them the second sentence follows the
# first in the text; in the others it is drawn from all of it. Of all pieces 15 % are asked for;
# 80 % of these are masked, 10 % are another piece and 10 % stay as they are (Devlin et al. 2019).

ASKED = 0.15
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Marks:
    """The numbers of the pieces that are not of the text."""

    begin: int
    end: int
    gap: int
    pieces: int
    """How many pieces the vocabulary has."""


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Pairs of sentences, padded on the right: pairs × pieces.

    ``asked`` are the places (pair, piece) of the pieces that are asked for, ``answers`` what stood
    there, and ``is_random`` is 1 for pairs whose second sentence does not follow the first.
    """

    ids: Ids
    kinds: Ids
    is_piece: Mask
    asked: tuple[Ids, Ids]
    answers: Ids
    is_random: Ids

    def __len__(self) -> int:
        return len(self.ids)


def pair_batches(
    text: RunningText,
    marks: Marks,
    *,
    firsts: Ids,
    size: int,
    rng: np.random.Generator,
) -> Iterator[PairBatch]:
    """Pairs that begin with the given sentences, those of similar length together."""
    is_random = rng.integers(0, 2, len(firsts))
    seconds = np.where(is_random == 1, rng.integers(0, len(text), len(firsts)), firsts + 1)
    lengths = np.diff(text.ends)
    order = np.argsort(lengths[firsts] + lengths[seconds], kind="stable")
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    for place in rng.permutation(len(groups)):
        chosen = groups[place]
        ids, kinds, is_piece, is_text = _laid_out(text, marks, firsts[chosen], seconds[chosen])
        shown, asked = with_gaps(ids, is_text, marks, rng)
        yield PairBatch(shown, kinds, is_piece, asked, ids[asked], is_random[chosen])


def _laid_out(
    text: RunningText, marks: Marks, firsts: Ids, seconds: Ids
) -> tuple[Ids, Ids, Mask, Mask]:
    """The pieces of pairs, which sentence each is of, and which are pieces, and of the text."""
    lengths = np.diff(text.ends)
    shape = len(firsts), int((lengths[firsts] + lengths[seconds]).max()) + 3
    ids, kinds = np.zeros((2, *shape), np.int64)
    is_piece, is_text = np.zeros((2, *shape), bool)
    for row, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        one, two = text.sentence(first), text.sentence(second)
        middle, last = len(one) + 1, len(one) + len(two) + 2
        ids[row, : last + 1] = [marks.begin, *one, marks.end, *two, marks.end]
        kinds[row, middle + 1 : last + 1] = 1
        is_piece[row, : last + 1] = True
        is_text[row, 1:last] = True
        is_text[row, middle] = False
    return ids, kinds, is_piece, is_text


def with_gaps(
    ids: Ids, is_text: Mask, marks: Marks, rng: np.random.Generator
) -> tuple[Ids, tuple[Ids, Ids]]:
    """The input pieces, and the positions of those to be predicted: at least one."""
    draws = np.where(is_text, rng.random(ids.shape), 1.0)
    asked_at = max(ASKED, float(draws.min()) + 1e-12)
    shown = np.where(draws < 0.8 * asked_at, marks.gap, ids)
    is_other = (draws >= 0.8 * asked_at) & (draws < 0.9 * asked_at)
    others = rng.integers(0, marks.pieces, ids.shape)
    rows, columns = np.nonzero(draws < asked_at)
    return np.where(is_other, others, shown), (rows, columns)
