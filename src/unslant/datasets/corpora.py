"""Sentences of a corpus of any size, one at a time, and samples of those that contain a word."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from unslant.core.compressed import compression_of, unpack
from unslant.core.errors import FileFormatError
from unslant.core.script import LETTERS, is_unspaced
from unslant.core.seeds import generator

Corpus = str | Path | Iterable[str]
"""The path of a text file (plain, gzip, xz, bzip2 or zip), or sentences themselves."""

WORD = re.compile(rf"{LETTERS}(?:['’-]{LETTERS})*")
"""A whole word: letters of any script with their marks, and hyphens or apostrophes inside."""

_END = re.compile(
    r"[.!?।॥۔؟。！？｡](?:"
    r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?(?P<next>[^\W_]))"
    r"|(?<=[।॥۔؟])\s+|(?<=[。！？｡])[」』”’）]*\s*)"
)
_LONGEST_LINE = 1 << 20


def sentences_of(corpus: Corpus) -> Iterator[str]:
    """The sentences of a corpus; lines of a file are split after full stops.

    A sentence is not joined across lines. Lines of more than a million characters are split there.
    """
    if not isinstance(corpus, str | Path):
        yield from corpus
        return
    for line in lines_of(Path(corpus)):
        yield from sentences_in(line.decode("utf-8", "replace"))


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a text file, which may be compressed; those over a million bytes are split."""
    if not path.is_file():
        raise FileFormatError(f"{path} is not a text file with sentences.")
    with _opened(path) as stream:
        yield from _lines(stream)


def sentences_in(line: str) -> Iterator[str]:
    """The sentences of a line, split after full stops that no small letter follows.

    >>> list(sentences_in("She came.  He saw it, too! 3 of them left"))
    ['She came.', 'He saw it, too!', '3 of them left']
    >>> list(sentences_in("她是医生。他是护士。")), list(sentences_in("वह आई। वह गया।"))
    (['她是医生。', '他是护士。'], ['वह आई।', 'वह गया।'])
    """
    line, start = line.lstrip("\ufeff"), 0
    for match in _END.finditer(line):
        if not (match["next"] or "").islower():
            yield " ".join(line[start : match.start() + 1].split())
            start = match.end()
    if text := " ".join(line[start:].split()):
        yield text


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as stream:
        compression = compression_of(stream.read(16))
    return path.open("rb") if compression is None else unpack(path, compression)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream, whose reads may be short."""
    rest = b""
    while piece := stream.read(1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > _LONGEST_LINE:
            yield rest
            rest = b""
    if rest:
        yield rest


def sentences_with(
    corpus: Corpus,
    words: Iterable[str],
    *,
    most: int = 100,
    longest: int = 300,
    seed: int = 0,
) -> Mapping[str, tuple[str, ...]]:
    """For each word up to ``most`` sentences that contain it, marked as in ``This is [[she]].``

    One pass; every sentence of up to ``longest`` characters has the same chance (reservoir
    sampling; Vitter 1985), and memory holds no more than the samples. Case is ignored. A sentence
    with the word twice marks the first.
    """
    spelt = {word.lower(): word for word in words}
    pattern = _any_of([w for w in spelt if not WORD.fullmatch(w) or is_unspaced(w)])
    rng = generator(seed, "contexts")
    kept: dict[str, list[str]] = {word: [] for word in spelt}
    seen = dict.fromkeys(spelt, 0)
    for text in sentences_of(corpus):
        if len(text) > longest:
            continue
        here: dict[str, re.Match[str]] = {}
        for match in (*WORD.finditer(text), *(pattern.finditer(text) if pattern else ())):
            if (key := match[0].lower()) in spelt:
                here.setdefault(key, match)
        for key, match in here.items():
            seen[key] += 1
            place = seen[key] - 1 if seen[key] <= most else int(rng.integers(seen[key]))
            if place >= most:
                continue
            marked = f"{text[: match.start()]}[[{match[0]}]]{text[match.end() :]}"
            kept[key][place : place + 1] = [marked]
    return {word: tuple(kept[key]) for key, word in spelt.items()}


def _any_of(phrases: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern for phrases and unusual words, such as ``African American``.

    A word of a script without spaces is found inside a run of letters.
    """
    if not phrases:
        return None
    longest_first = sorted(phrases, key=len, reverse=True)
    found = (
        re.escape(phrase) if is_unspaced(phrase) else rf"(?<!\w){re.escape(phrase)}(?!\w)"
        for phrase in longest_first
    )
    return re.compile("|".join(found), re.IGNORECASE)
