"""Text as numbered words: read once, numbered as they come, then ranked by how often they occur."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.files import Progress
from unslant.datasets.corpora import lines_of
from unslant.datasets.nli.text import tokenise
from unslant.models.glove.settings import CountSettings

BOUNDARY = -1
_PIECE = 1 << 20
_TEXTS = (".txt", ".text", ".gz", ".xz", ".bz2", ".zip")


@dataclass(frozen=True, eq=False)
class RankedText:
    """The words that are frequent enough, most frequent first, and the text as their ranks.

    ``path`` has one 32-bit number for each word that is left, and -1 between texts that no window
    may join. ``tokens`` counts all words of the text, ``types`` the different ones.
    """

    path: Path
    words: Sequence[str]
    counts: NDArray[np.int64]
    tokens: int
    types: int


def files_of(corpus: Path) -> list[Path]:
    """The text files of a corpus: itself, or those in a folder and below, in order of name."""
    if corpus.is_file():
        return [corpus]
    if not corpus.is_dir():
        raise FileFormatError(f"{corpus} does not exist. Name a text file or a folder of them.")
    found = sorted(p for p in corpus.rglob("*") if p.is_file() and p.suffix.lower() in _TEXTS)
    if not found:
        raise FileFormatError(f"{corpus} contains no text files ({', '.join(_TEXTS)}).")
    return found


def ranked_text(
    files: Sequence[Path], how: CountSettings, folder: Path, progress: Progress | None = None
) -> RankedText:
    """Read a corpus once and write it to ``folder`` as ranks."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    raw, ranked = folder / "tokens.bin", folder / "ranks.bin"
    with raw.open("wb") as stream:
        for numbered in _numbered(files, how.boundary, numbers, progress):
            numbered.tofile(stream)
    counts = np.zeros(len(numbers), dtype=np.int64)
    for piece in _pieces(raw):
        counts += np.bincount(piece[piece >= 0], minlength=len(counts))
    words = list(numbers)
    kept = np.flatnonzero(counts >= how.minimum).tolist()
    if len(kept) < 2:
        raise UnslantError(_too_few(files, len(kept), int(counts.sum()), len(words), how.minimum))
    order = np.array(sorted(kept, key=lambda row: (-counts[row], words[row])))
    # The last place is that of a boundary, whose number is -1.
    rank_of = np.full(len(words) + 1, BOUNDARY - 1, dtype=np.int32)
    rank_of[order], rank_of[-1] = np.arange(len(order)), BOUNDARY
    with ranked.open("wb") as stream:
        for piece in _pieces(raw):
            ranks = rank_of[piece]
            ranks[ranks >= BOUNDARY].tofile(stream)
    raw.unlink()
    return RankedText(
        path=ranked,
        words=[words[row] for row in order.tolist()],
        counts=counts[order],
        tokens=int(counts.sum()),
        types=len(words),
    )


def _numbered(
    files: Sequence[Path],
    boundary: str,
    numbers: defaultdict[str, int],
    progress: Progress | None,
) -> Iterator["array[int]"]:
    """The numbers of the words, in pieces; new words get the next number."""
    number, piece, done = numbers.__getitem__, array("i"), 0
    total = sum(path.stat().st_size for path in files)
    for path in files:
        for line in lines_of(path):
            tokens = tokenise(line.decode("utf-8", "replace"))
            piece.extend(map(number, tokens))
            if boundary == "line" or (boundary == "paragraph" and not tokens):
                piece.append(BOUNDARY)
            if len(piece) >= _PIECE:
                yield piece
                piece = array("i")
                if progress:
                    progress("Reading words", done, total)
        piece.append(BOUNDARY)
        done += path.stat().st_size
    yield piece


def _pieces(path: Path) -> Iterator[NDArray[np.int32]]:
    with path.open("rb") as stream:
        while data := stream.read(4 * _PIECE):
            yield np.frombuffer(data, dtype=np.int32)


def _too_few(files: Sequence[Path], kept: int, tokens: int, types: int, minimum: int) -> str:
    where = str(files[0]) if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more files"
    if not tokens:
        return f"{where} contains no words."
    return (
        f"{where} has {kept} words that occur at least {minimum} times, of {types:,} different "
        f"words in {tokens:,}; at least 2 are needed. Use more text, or a lower --minimum."
    )
