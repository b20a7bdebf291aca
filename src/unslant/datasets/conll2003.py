"""Tagged sentences in columns, as in CoNLL-2003 (Tjong Kim Sang and De Meulder 2003).

A line has one word: the word first, its entity tag last, other columns (part of speech, chunk)
between, separated by spaces or tabs. Empty lines end sentences; -DOCSTART- lines begin documents.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.files import Progress
from unslant.datasets.nli.lines import Line, numbered_lines
from unslant.datasets.tagged import OUTSIDE, TaggedSentence

Part = Literal["train", "testa", "testb"]
"""The parts of the corpus; testa is for development and testb the final test."""

DOCUMENT = "-DOCSTART-"
LONGEST_SENTENCE = 5_000
"""In words. A file without empty lines would otherwise be one sentence of any size."""

_NAMES = {
    "train": ("eng.train", "train.txt", "train.conll"),
    "testa": ("eng.testa", "valid.txt", "dev.txt", "valid.conll", "dev.conll"),
    "testb": ("eng.testb", "test.txt", "test.conll"),
}
_TAG = re.compile(r"O|[BIESLU]-[^\s-]\S*")
_IN_IOB = {"E": "I", "L": "I", "S": "B", "U": "B"}
"""How the schemes that also mark the end of an entity (BIOES, BILOU) are read."""


def tagged_file(path: str | Path, part: Part = "testb") -> Path:
    """The file itself, or that of a part in a folder under the official or a usual name."""
    path = Path(path)
    if not path.is_dir():
        if not path.is_file():
            raise FileFormatError(
                f"There is no file {path}. Expected tagged sentences in columns, as in CoNLL-2003."
            )
        return path
    for name in _NAMES[part]:
        if (path / name).is_file():
            return path / name
    raise FileFormatError(
        f"{path} contains no {part} part of CoNLL-2003. Expected a file called "
        f"{' or '.join(_NAMES[part])}; or name the file itself."
    )


def tagged_sentences(
    path: str | Path, part: Part = "testb", progress: Progress | None = None
) -> Iterator[TaggedSentence]:
    """The sentences of a file, or of a part in a folder, one at a time.

    The number of columns is that of the first line with a word. Tags may be in IOB1 or IOB2, and
    are left in their scheme; those of BIOES and BILOU are read as IOB2. The file may be gzip.
    """
    file = tagged_file(path, part)
    size = file.stat().st_size
    words: list[str] = []
    tags: list[str] = []
    columns = begun = found = 0

    def tick(done: int) -> None:
        if progress:
            progress(f"reading {file.name}", done, size)

    for line in numbered_lines(file, tick):
        cells = _cells(line, file)
        if not cells or cells[0] == DOCUMENT:
            if words:
                found += 1
                yield TaggedSentence(tuple(words), tuple(tags), begun)
                words, tags = [], []
            continue
        columns = columns or len(cells)
        _check(cells, columns, len(words), f"{file} line {line.number:,}")
        begun = begun if words else line.number
        words.append(cells[0])
        tags.append(_in_iob(cells[-1]))
    if words:
        found += 1
        yield TaggedSentence(tuple(words), tuple(tags), begun)
    if not found:
        raise FileFormatError(f"{file} contains no tagged sentences.")


def _cells(line: Line, file: Path) -> list[str]:
    if line.content is None:
        raise FileFormatError(f"{file} line {line.number:,} is too long for a word and its tag.")
    try:
        text = line.content.decode("utf-8-sig" if line.number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{file} line {line.number:,}: byte {error.start + 1} is not valid UTF-8. Convert the "
            f"file to UTF-8 first."
        ) from error
    # Only spaces and tabs separate: a word may contain a no-break space.
    return [cell for cell in re.split(r"[ \t]+", text.strip(" \t\r")) if cell]


def _check(cells: Sequence[str], columns: int, words: int, where: str) -> None:
    if columns < 2:
        raise FileFormatError(
            f"{where}: one column ({cells[0][:30]!r}). Expected a word and, in the last column, "
            f"its tag, as in CoNLL-2003."
        )
    if len(cells) != columns:
        raise DamagedFileError(
            f"{where}: {len(cells)} columns, expected {columns} as in the lines before. The line "
            f"may be cut."
        )
    if not _TAG.fullmatch(cells[-1]):
        raise FileFormatError(
            f"{where}: the last column is {cells[-1][:30]!r}, expected a tag such as O, I-PER or "
            f"B-PER."
        )
    if words == LONGEST_SENTENCE:
        raise DamagedFileError(
            f"{where}: a sentence of more than {LONGEST_SENTENCE:,} words. Expected an empty line "
            f"after each sentence."
        )


def _in_iob(tag: str) -> str:
    return tag if tag == OUTSIDE else _IN_IOB.get(tag[0], tag[0]) + tag[1:]
