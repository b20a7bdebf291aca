"""Tagged sentences in columns, as in CoNLL-2003 (Tjong Kim Sang and De Meulder 2003).

A line has one word: the word first, its entity tag last, other columns (part of speech, chunk)
between, separated by spaces or tabs. Empty lines end sentences; -DOCSTART- lines begin documents.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.files import Progress
from unslant.datasets.nli.text import Line, numbered_lines

# Sentences with a tag for each word, and the entities that the tags mark.

OUTSIDE = "O"


class Span(NamedTuple):
    """An entity: the places of its first and its last word, and its kind."""

    first: int
    last: int
    kind: str


@dataclass(frozen=True)
class TaggedSentence:
    """Words and their tags in the scheme IOB1 or IOB2, and the line of the first word.

    In both schemes I-PER continues an entity of its kind or, after anything else, begins one, and
    B-PER always begins one; in IOB2 every entity begins with B, in IOB1 only one that follows
    another of its kind directly. So the entities are exact without knowing the scheme.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise ValueError(f"{len(self.words)} words and {len(self.tags)} tags")

    def __str__(self) -> str:
        return " ".join(self.words)

    def spans(self, kind: str | None = None) -> tuple[Span, ...]:
        """Every entity in order, or those of one kind.

        >>> TaggedSentence(("Ann", "Bob", "ran"), ("I-PER", "B-PER", "O")).spans()
        (Span(first=0, last=0, kind='PER'), Span(first=1, last=1, kind='PER'))
        """
        entities: list[Span] = []
        before = ""
        for place, tag in enumerate(self.tags):
            start, _, here = tag.partition("-")
            if here and (start == "B" or here != before):
                entities.append(Span(place, place, here))
            elif here:
                entities[-1] = entities[-1]._replace(last=place)
            before = here
        return tuple(span for span in entities if kind in (None, span.kind))

    def iob2(self) -> "TaggedSentence":
        """The same entities in IOB2, where each begins with B."""
        tags = [OUTSIDE] * len(self.words)
        for first, last, kind in self.spans():
            tags[first : last + 1] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
        return replace(self, tags=tuple(tags))

    def replaced(self, span: Span, words: Sequence[str]) -> tuple["TaggedSentence", Span]:
        """The sentence with other words in an entity, and where these are.

        The first keeps the tag that the entity began with, so neighbours stay apart.
        """
        first, last, kind = span
        tags = (self.tags[first], *[f"I-{kind}"] * (len(words) - 1))
        changed = replace(
            self,
            words=(*self.words[:first], *words, *self.words[last + 1 :]),
            tags=(*self.tags[:first], *tags, *self.tags[last + 1 :]),
        )
        return changed, Span(first, first + len(words) - 1, kind)


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
