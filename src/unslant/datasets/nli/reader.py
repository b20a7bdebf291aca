"""Convert the pairs in files to token ids; every pair is kept or counted."""

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.files import Progress, hashed_meanwhile
from unslant.datasets.nli.labels import Pair
from unslant.datasets.nli.lines import BadLine
from unslant.datasets.nli.pairs import everything_in, parts_of
from unslant.datasets.nli.tally import Tally
from unslant.datasets.nli.tokens import tokenise
from unslant.datasets.nli.values import Corpus, Sentences


class Ids(dict[str, int]):
    """A new token gets the next number."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


class Part:
    """One split while it is being read."""

    def __init__(self, skip_bad: bool) -> None:
        self.tally = Tally(skip_bad)
        self.sides = (array("i"), array("i"))
        self.ends = (array("q", [0]), array("q", [0]))
        self.labels = array("b")

    def add(self, ids: Ids, sentences: tuple[list[str], list[str]], label: int) -> None:
        """Append a pair."""
        for side, ends, tokens in zip(self.sides, self.ends, sentences, strict=True):
            side.extend(map(ids.__getitem__, tokens))
            ends.append(len(side))
        self.labels.append(label)

    def corpus(self, vocabulary: tuple[str, ...], extra: dict[str, Any] | None = None) -> Corpus:
        """The arrays, with a record of their origin."""
        premises, hypotheses = (
            Sentences(np.array(side, np.int32), np.array(ends, np.int64))
            for side, ends in zip(self.sides, self.ends, strict=True)
        )
        record = self.tally.record(len(self.labels)) | (extra or {})
        return Corpus(vocabulary, premises, hypotheses, np.array(self.labels, np.int8), record)


class Reader:
    """Reads files one after another, numbers the tokens and reports progress."""

    def __init__(self, files: Sequence[Path], skip_bad: bool, progress: Progress | None) -> None:
        self.ids = Ids()
        self._skip_bad, self._progress = skip_bad, progress
        parts = [part for file in files for part in parts_of(file)]
        self._total = sum(part.stat().st_size for part in parts if part.is_file())
        self._before = 0

    def split(
        self,
        files: Sequence[Path],
        what: str,
        seen: dict[bytes, int],
        forbidden: dict[bytes, int] | None = None,
    ) -> Part:
        """The pairs of some files, without repeats and forbidden pairs if requested."""
        part = Part(self._skip_bad)
        tally = part.tally
        for pair in self._pairs(files, tally):
            sentences = tokenise(pair.premise), tokenise(pair.hypothesis)
            key = _key(sentences)
            if forbidden is not None:
                if key in forbidden:
                    tally.held_out += 1
                    continue
                if key in seen:
                    tally.repeated += 1
                    tally.conflicting += seen[key] != pair.label
                    continue
            seen.setdefault(key, pair.label)
            part.add(self.ids, sentences, pair.label)
        tally.check(len(part.labels), what)
        return part

    def only_keys(self, files: Sequence[Path], seen: dict[bytes, int]) -> dict[str, Any]:
        """Record pairs that are only to be excluded from the training data."""
        tally, before = Tally(self._skip_bad), len(seen)
        for pair in self._pairs(files, tally):
            seen.setdefault(_key((tokenise(pair.premise), tokenise(pair.hypothesis))), pair.label)
        return tally.record(len(seen) - before)

    def _pairs(self, files: Sequence[Path], tally: Tally) -> Iterator[Pair]:
        for path in files:
            lines = 0
            with ExitStack() as hashing:
                parts = parts_of(path)
                here = [part for part in parts if part.is_file()]
                digests = [hashing.enter_context(hashed_meanwhile(part)) for part in here]
                for found in everything_in(path, self._tick):
                    lines += 1
                    if isinstance(found.what, BadLine):
                        tally.add_bad(path, found)
                        continue
                    tally.read += 1
                    if found.what is None:
                        tally.unlabelled += 1
                    else:
                        yield found.what
                for part, digest in zip(parts, digests, strict=True):
                    entry = {"name": part.name, "sha256": digest(), "lines of pairs": lines}
                    tally.files.append(entry)
                    self._before += part.stat().st_size
            self._tick(0)

    def _tick(self, done: int) -> None:
        if self._progress:
            self._progress("Reading pairs", min(self._before + done, self._total), self._total)


def _key(sentences: tuple[list[str], list[str]]) -> bytes:
    """Sixteen bytes that identify the tokens of a pair; tokens contain neither spaces nor tabs."""
    text = "\t".join(" ".join(tokens) for tokens in sentences)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
