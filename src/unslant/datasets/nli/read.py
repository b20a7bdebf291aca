"""Read training, dev and test pairs, and remove dev and test pairs from the training data."""

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import DamagedFileError
from unslant.core.files import Progress, hashed_meanwhile
from unslant.datasets.nli.pairs import (
    CorpusFiles,
    LabelledPair,
    LineContent,
    complete,
    everything_in,
    parts_of,
    refusal,
    scan,
)
from unslant.datasets.nli.text import BadLine, tokenise

# Labelled pairs of sentences as arrays of token ids.


@dataclass(frozen=True, eq=False)
class SentenceTokens:
    """Concatenated token ids; sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        if not 0 <= row < len(self):
            raise IndexError(f"There is no sentence {row} among {len(self)}.")
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def chosen(self, rows: NDArray[np.int64]) -> "SentenceTokens":
        """Some of the sentences."""
        parts = [self.ids[self.offsets[row] : self.offsets[row + 1]] for row in rows.tolist()]
        ids = np.concatenate([*parts, np.zeros(0, np.int32)])
        return SentenceTokens(ids, np.cumsum([0, *map(len, parts)]).astype(np.int64))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Pairs with their labels, which are indices into ``LABELS``, and a record of their origin.

    ``vocabulary`` contains the distinct tokens in order of first appearance; corpora that were
    read together share it. ``record`` can be written as JSON.
    """

    vocabulary: tuple[str, ...]
    premises: SentenceTokens
    hypotheses: SentenceTokens
    labels: NDArray[np.int8]
    record: Mapping[str, Any]
    texts: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """Premises and hypotheses as they were written, for models with a tokenizer of their own."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def content_hash(self) -> str:
        """The SHA-256 of the pairs as words and labels, independent of their files."""
        digest = hashlib.sha256("\n".join(self.vocabulary).encode())
        for side in (self.premises, self.hypotheses):
            digest.update(side.ids.tobytes() + side.offsets.tobytes())
        digest.update(self.labels.tobytes())
        return digest.hexdigest()

    def drawn(self, count: int, rng: np.random.Generator) -> "Corpus":
        """So many of the pairs, drawn without replacement, in their order; the record says it."""
        rows = np.sort(rng.choice(len(self), count, replace=False))
        premises, hypotheses = (side.chosen(rows) for side in (self.premises, self.hypotheses))
        texts = None
        if self.texts is not None:
            first, second = (tuple(side[row] for row in rows.tolist()) for side in self.texts)
            texts = first, second
        record = {**self.record, "drawn": count}
        return Corpus(self.vocabulary, premises, hypotheses, self.labels[rows], record, texts)

    def tokens(self, row: int) -> tuple[list[str], list[str]]:
        """The two sentences of a pair, as words."""
        premise, hypothesis = (
            [self.vocabulary[token] for token in side[row]]
            for side in (self.premises, self.hypotheses)
        )
        return premise, hypothesis


_MOST_LISTED = 10

Files = str | Path | Sequence[str | Path]


@dataclass
class PairTally:
    """Counts of the pairs of one split, by outcome."""

    skip_bad: bool
    files: list[dict[str, Any]] = field(default_factory=list)
    read: int = 0
    unlabelled: int = 0
    held_out: int = 0
    repeated: int = 0
    conflicting: int = 0
    bad: int = 0
    listed: list[str] = field(default_factory=list)

    def add_bad(self, path: Path, found: LineContent) -> None:
        """Count a malformed line, or stop."""
        if not self.skip_bad:
            raise refusal(path, found)
        self.bad += 1
        if len(self.listed) < _MOST_LISTED:
            self.listed.append(f"{path.name} line {found.line:,}: {found.what}")

    def record(self, kept: int) -> dict[str, Any]:
        """The counts under their names in the record."""
        return {
            "files": self.files,
            "pairs": kept,
            "read": self.read,
            "unlabelled": self.unlabelled,
            "in_held_out_data": self.held_out,
            "repeated": self.repeated,
            "repeated_with_another_label": self.conflicting,
            "bad_lines": self.bad,
            "first_bad_lines": self.listed,
        }

    def check(self, kept: int, what: str) -> None:
        """Raise an error if no pair is left in a split."""
        if not kept:
            names = ", ".join(entry["name"] for entry in self.files)
            raise DamagedFileError(
                f"No {what} pair in {names} can be used: {self.read:,} read, {self.unlabelled:,} "
                f"without a label, {self.held_out:,} in the held-out data, {self.bad:,} bad lines. "
                f"Expected at least one labelled pair."
            )


class Ids(dict[str, int]):
    """A new token gets the next number."""

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        return number


class Part:
    """One split while it is being read."""

    def __init__(self, skip_bad: bool, keep_texts: bool = False) -> None:
        self.tally = PairTally(skip_bad)
        self.texts: tuple[list[str], list[str]] | None = ([], []) if keep_texts else None
        self.sides = (array("i"), array("i"))
        self.ends = (array("q", [0]), array("q", [0]))
        self.labels = array("b")

    def add(self, ids: Ids, sentences: tuple[list[str], list[str]], pair: LabelledPair) -> None:
        """Append a pair."""
        if self.texts is not None:
            for texts, text in zip(self.texts, (pair.premise, pair.hypothesis), strict=True):
                texts.append(text)
        for side, ends, tokens in zip(self.sides, self.ends, sentences, strict=True):
            side.extend(map(ids.__getitem__, tokens))
            ends.append(len(side))
        self.labels.append(pair.label)

    def corpus(self, vocabulary: tuple[str, ...], extra: dict[str, Any] | None = None) -> Corpus:
        """The arrays, with a record of their origin."""
        premises, hypotheses = (
            SentenceTokens(np.array(side, np.int32), np.array(ends, np.int64))
            for side, ends in zip(self.sides, self.ends, strict=True)
        )
        record = self.tally.record(len(self.labels)) | (extra or {})
        texts = None if self.texts is None else (tuple(self.texts[0]), tuple(self.texts[1]))
        labels = np.array(self.labels, np.int8)
        return Corpus(vocabulary, premises, hypotheses, labels, record, texts)


class PairReader:
    """Reads files one after another, numbers the tokens and reports progress."""

    def __init__(
        self,
        files: Sequence[Path],
        skip_bad: bool,
        progress: Progress | None,
        keep_texts: bool = False,
        keeps_case: bool = False,
    ) -> None:
        self.ids = Ids()
        self._skip_bad, self._progress = skip_bad, progress
        self._keep_texts, self._keeps_case = keep_texts, keeps_case
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
        part = Part(self._skip_bad, self._keep_texts)
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
            if self._keeps_case:
                sentences = (
                    tokenise(pair.premise, keeps_case=True),
                    tokenise(pair.hypothesis, keeps_case=True),
                )
            part.add(self.ids, sentences, pair)
        tally.check(len(part.labels), what)
        return part

    def only_keys(self, files: Sequence[Path], seen: dict[bytes, int]) -> dict[str, Any]:
        """Record pairs that are only to be excluded from the training data."""
        tally, before = PairTally(self._skip_bad), len(seen)
        for pair in self._pairs(files, tally):
            seen.setdefault(_key((tokenise(pair.premise), tokenise(pair.hypothesis))), pair.label)
        return tally.record(len(seen) - before)

    def _pairs(self, files: Sequence[Path], tally: PairTally) -> Iterator[LabelledPair]:
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
                    entry = {"name": part.name, "sha256": digest(), "lines_of_pairs": lines}
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


class Splits(NamedTuple):
    """Training, dev and test data that share one vocabulary."""

    train: Corpus
    dev: Corpus
    test: Corpus | None

    @property
    def skipped(self) -> int:
        """How many malformed lines were skipped in all files together."""
        records = [part.record for part in self if part is not None]
        aside = self.train.record.get("held_out", {})
        return sum(record.get("bad_lines", 0) for record in (*records, aside))


def read_corpus(
    folder: str | Path | None = None,
    *,
    train: Files = (),
    dev: Files = (),
    test: Files = (),
    held_out: Files = (),
    skip_bad: bool = False,
    keep_texts: bool = False,
    keeps_case: bool = False,
    progress: Progress | None = None,
) -> Splits:
    """The pairs in a folder, or in the given files, as arrays; optionally also as texts.

    In a folder, names with "train" or "subset" are training data, with "dev" or "trial" dev data
    and with "test" test data; files given explicitly replace those found. A training pair
    whose tokens also occur in dev, test or ``held_out`` data is dropped, and so is the second of
    two equal training pairs; dev and test keep their repeats, as in the published scores. The
    records count all of this. Tokens are in lower case unless ``keeps_case``; pairs that differ in
    case alone count as equal either way.
    """
    named = CorpusFiles(_paths(train), _paths(dev), _paths(test))
    corpus = scan(Path(folder)) if folder is not None else CorpusFiles()
    layout = CorpusFiles(
        named.train or corpus.train, named.dev or corpus.dev, named.test or corpus.test, corpus.left
    )
    complete(layout, str(folder) if folder is not None else "What was named")
    aside = _paths(held_out)
    files = (*layout.dev, *layout.test, *aside, *layout.train)
    reader = PairReader(files, skip_bad, progress, keep_texts, keeps_case)
    forbidden: dict[bytes, int] = {}
    dev_part = reader.split(layout.dev, "dev", forbidden)
    test_part = reader.split(layout.test, "test", forbidden) if layout.test else None
    aside_record = reader.only_keys(aside, forbidden)
    train_part = reader.split(layout.train, "training", {}, forbidden)
    vocabulary = tuple(reader.ids)
    extra = {"held_out": aside_record, "files_not_taken": layout.left}
    return Splits(
        train_part.corpus(vocabulary, extra),
        dev_part.corpus(vocabulary),
        test_part.corpus(vocabulary) if test_part else None,
    )


def _paths(files: Files) -> tuple[Path, ...]:
    return (Path(files),) if isinstance(files, str | Path) else tuple(map(Path, files))
