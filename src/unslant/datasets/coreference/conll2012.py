"""Documents with coreference in the columns of CoNLL-2012 (Pradhan et al. 2012).

A document lies between ``#begin document (NAME); part N`` and ``#end document``; a file has any
number of them. A line has one word: document, part, number and word first, the clusters last, and
any columns between them, separated by tabs or by spaces; empty lines end sentences. That reads
OntoNotes (whose number of columns changes from sentence to sentence), LitBank (whose last column is
empty where others have a hyphen), WinoBias and the cases of the reference scorer, some of which
have no words at all: fewer than five columns give the word "_".
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.core.files import Progress, write_text
from unslant.datasets.coreference.brackets import BadBracketError, Brackets, cells
from unslant.datasets.coreference.document import CorefDocument
from unslant.datasets.coreference.headers import begins, ends, header, is_comment
from unslant.datasets.nli.lines import Line, numbered_lines

LONGEST_DOCUMENT = 1_000_000
"""In words. OntoNotes' and LitBank's documents have a few thousand."""

NO_WORD = "_"
_FILLER = ["_"] * 7


def read_file(path: str | Path, progress: Progress | None = None) -> Iterator[CorefDocument]:
    """The documents of a file, one at a time; it may be gzip."""
    file = Path(path)
    if not file.is_file():
        raise FileFormatError(
            f"There is no file {file}. Expected documents with coreference, as in CoNLL-2012."
        )
    size, reading, found = file.stat().st_size, _Reading(file), 0

    def tick(done: int) -> None:
        if progress:
            progress(f"reading {file.name}", done, size)

    for line in numbered_lines(file, tick):
        document = reading.add(line)
        if document:
            found += 1
            yield document
    reading.finish()
    if not found:
        raise FileFormatError(
            f'{file} contains no documents. Expected "#begin document (NAME); part 000" first, as '
            f"in CoNLL-2012."
        )


def written(documents: Iterable[CorefDocument]) -> str:
    """The documents as the text of a file of twelve columns."""
    return "".join(_written(document) for document in documents)


def write_file(path: str | Path, documents: Iterable[CorefDocument]) -> None:
    """Write the documents to a file."""
    write_text(Path(path), written(documents))


class _Reading:
    """A document that is being read."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name: str | None = None
        self.begun = self.columns = 0
        self._clear()

    def add(self, line: Line) -> CorefDocument | None:
        text, where = self._text(line), f"{self.file} line {line.number:,}"
        name = begins(text)
        if name is not None:
            self.finish()
            self._clear()
            self.name, self.begun = name, line.number
        elif ends(text):
            return self._ended(where)
        elif not text.strip(" \t"):
            self._end_sentence()
        elif not is_comment(text):
            self._word(text, line.number, where)
        return None

    def finish(self) -> None:
        """Refuse a document that has no end."""
        if self.name is not None:
            raise DamagedFileError(
                f"{self.file} line {self.begun:,}: document {self.name} has no #end document. The "
                f"file may be cut."
            )

    def _clear(self) -> None:
        self.sentences: list[tuple[str, ...]] = []
        self.words: list[str] = []
        self.lines: list[int] = []
        self.brackets = Brackets()
        self.columns = 0

    def _text(self, line: Line) -> str:
        where = f"{self.file} line {line.number:,}"
        if line.content is None:
            raise FileFormatError(f"{where} is too long for a word and its columns.")
        try:
            return line.content.decode("utf-8-sig" if line.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(
                f"{where}: byte {error.start + 1} is not valid UTF-8. Convert the file to UTF-8 "
                f"first."
            ) from error

    def _word(self, text: str, number: int, where: str) -> None:
        if self.name is None:
            raise FileFormatError(
                f'{where} comes before "#begin document (NAME); part 000". Expected that line '
                f"first, as in CoNLL-2012."
            )
        row = text.split("\t") if "\t" in text else text.split()
        if self.columns and len(row) == self.columns + 1 and not row[-1].strip():
            row = row[:-1]
        self.columns = self.columns or len(row)
        if len(row) != self.columns or len(row) < 2:
            raise DamagedFileError(
                f"{where}: {len(row)} columns, expected {max(self.columns, 2)} as in the lines "
                f"before. The line may be cut."
            )
        if len(self.lines) == LONGEST_DOCUMENT:
            raise DamagedFileError(f"{where}: a document of more than {LONGEST_DOCUMENT:,} words.")
        word = row[3] if len(row) > 4 else NO_WORD
        self.words.append("".join(word.split()) or NO_WORD)
        self.lines.append(number)
        try:
            self.brackets.add(row[-1].strip())
        except BadBracketError as error:
            raise _bad(where, error) from error

    def _end_sentence(self) -> None:
        if self.words:
            self.sentences.append(tuple(self.words))
        self.words, self.columns = [], 0

    def _ended(self, where: str) -> CorefDocument:
        if self.name is None:
            raise DamagedFileError(f"{where}: #end document without a #begin document before it.")
        self._end_sentence()
        try:
            clusters = self.brackets.clusters()
        except BadBracketError as error:
            raise _bad(f"{self.file} line {self.lines[error.word]:,}", error) from error
        document = CorefDocument(self.name, tuple(self.sentences), clusters)
        self.name = None
        return document


def _bad(where: str, error: BadBracketError) -> DamagedFileError:
    return DamagedFileError(
        f"{where}: {error}. Expected brackets such as (3, 3), (3) or (3|(4), and a hyphen at other "
        f"words."
    )


def _written(document: CorefDocument) -> str:
    name, part, begin = header(document.name)
    column = iter(cells(document))
    lines = [begin]
    for sentence in document.sentences:
        for number, word in enumerate(sentence):
            if not word or any(letter.isspace() for letter in word):
                raise UnslantError(
                    f"Document {document.name} has the word {word!r:.40}. A word with spaces "
                    f"cannot be written to CoNLL-2012."
                )
            lines.append("\t".join([name, part, str(number), word, *_FILLER, next(column)]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])
