"""Documents with coreference in the columns of CoNLL-2012 (Pradhan et al. 2012).

A document lies between ``#begin document (NAME); part N`` and ``#end document``; a file has any
number of them. A line has one word: document, part, number and word first, the clusters last, and
any columns between them, separated by tabs or by spaces; empty lines end sentences. That reads
OntoNotes (whose number of columns changes from sentence to sentence), LitBank (whose last column is
empty where others have a hyphen), WinoBias and the cases of the reference scorer, some of which
have no words at all: with fewer than five columns the word is "_".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.core.files import Progress, write_text
from unslant.datasets.coreference.document import Clusters, CorefDocument, Span, in_text_order
from unslant.datasets.nli.text import Line, numbered_lines

# The brackets of the last column of CoNLL-2012: where mentions begin and end.
#
# `(3` begins a mention of cluster 3, `3)` ends one and `(3)` is a mention of one word; several in
# a cell may have a bar between them. An end closes the mention of its cluster that began last, so
# mentions of one cluster nest and never cross; those of two clusters may do either. A span that a
# cell puts into two clusters, or twice into one, is a mention once: in the cluster named first
# (the reference scorer's de-duplication, Pradhan et al. 2014).

NONE = frozenset({"", "-", "_"})
"""What a cell contains if no mention begins or ends there."""

# An end is looked for only where a name begins: within a long name without a bracket, each letter
# would be tried as its beginning, which takes quadratic time.
_BRACKET = re.compile(
    r"\((?P<one>[^()|\s]+)\)|\((?P<begin>[^()|\s]+)|(?<![^()|\s])(?P<end>[^()|\s]+)\)"
)


class BadBracketError(ValueError):
    """The problem in a cell, and the position of the word it concerns."""

    def __init__(self, message: str, word: int) -> None:
        super().__init__(message)
        self.word = word


class Brackets:
    """The mentions of one document, from its cells one after another."""

    def __init__(self) -> None:
        self._words = self._begun = 0
        self._open: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._found: list[tuple[int, str, Span]] = []

    def add(self, cell: str) -> None:
        """Read the cell of the next word."""
        word, self._words = self._words, self._words + 1
        if cell in NONE:
            return
        if _BRACKET.sub("", cell).strip("|"):
            raise BadBracketError(f"{cell[:40]!r} in the last column", word)
        for part in _BRACKET.finditer(cell):
            if part["end"] is None:
                name = part["one"] or part["begin"]
                self._open[name].append((self._begun, word))
                self._begun += 1
                if part["begin"]:
                    continue
            else:
                name = part["end"]
            if not self._open[name]:
                raise BadBracketError(f"{cell[:40]!r} ends a mention that never began", word)
            order, first = self._open[name].pop()
            self._found.append((order, name, (first, word + 1)))

    def clusters(self) -> Clusters:
        """The clusters of the document, by their first mentions."""
        for name, begun in self._open.items():
            if begun:
                raise BadBracketError(
                    f"the mention that '({name[:40]}' begins never ends", begun[-1][1]
                )
        seen: set[Span] = set()
        spans: defaultdict[str, list[Span]] = defaultdict(list)
        for _, name, span in sorted(self._found):
            if span not in seen:
                seen.add(span)
                spans[name].append(span)
        return in_text_order(spans.values())


def cells(document: CorefDocument) -> Sequence[str]:
    """The last column of a document: outer mentions begin first and end last.

    The format cannot express which of two crossing mentions of one cluster ends first, so those are
    refused.
    """
    begins: defaultdict[int, list[str]] = defaultdict(list)
    ends: defaultdict[int, list[str]] = defaultdict(list)
    for cluster in document.clusters:
        _refuse_crossing(cluster, document.name)
    named = [(*span, number) for number, spans in enumerate(document.clusters) for span in spans]
    for first, end, number in sorted(named, key=lambda one: (one[0], -one[1], one[2])):
        begins[first].append(f"({number})" if end == first + 1 else f"({number}")
    for first, end, number in sorted(named, key=lambda one: (-one[0], one[1], -one[2])):
        if end > first + 1:
            ends[end - 1].append(f"{number})")
    words = len(document.words)
    return ["|".join(ends[word] + begins[word]) or "-" for word in range(words)]


def _refuse_crossing(cluster: Sequence[Span], name: str) -> None:
    open_ends: list[Span] = []
    for first, end in sorted(cluster, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1][1] <= first:
            open_ends.pop()
        if open_ends and end > open_ends[-1][1]:
            raise UnslantError(
                f"Mentions {open_ends[-1]} and {(first, end)} of one cluster of document {name} "
                f"cross. CoNLL-2012 files cannot contain that."
            )
        open_ends.append((first, end))


# The lines of CoNLL-2012 around a document, and what a document is called.

_BEGIN = re.compile(r"#begin document \((?P<name>.*)\)\s*;?\s*(?:part\s+(?P<part>\d+))?\s*")
_END = re.compile(r"#end document.*")
_DOCUMENT_PART = re.compile(r"(?P<name>.+) \(part (?P<part>\d+)\)", re.DOTALL)


def begins(line: str) -> str | None:
    """The name of the document that a line begins, if it does; part 1 of d is "d (part 1)"."""
    match = _BEGIN.fullmatch(line.strip())
    if not match:
        return None
    part = int(match["part"] or 0)
    return f"{match['name']} (part {part})" if part else match["name"]


def ends(line: str) -> bool:
    """Whether a line ends a document."""
    return _END.fullmatch(line.strip()) is not None


def is_comment(line: str) -> bool:
    """Whether a line is neither a word nor a beginning nor an end."""
    return line.startswith("#")


def header(document: str) -> tuple[str, str, str]:
    """The first two columns of a document and the line that begins it."""
    match = _DOCUMENT_PART.fullmatch(document)
    name, part = (match["name"], int(match["part"])) if match else (document, 0)
    if not name or any(letter.isspace() for letter in name):
        raise UnslantError(
            f"A document is called {name!r:.60}. CoNLL-2012 needs a name without spaces."
        )
    return name, str(part), f"#begin document ({name}); part {part:03d}"


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


# The documents of a file or of a folder of CoNLL-2012 files.

_ENDINGS = ("conll", "conll.gz", ".key", ".response")


def read_documents(path: str | Path, progress: Progress | None = None) -> list[CorefDocument]:
    """The documents of a file, or of every CoNLL-2012 file in a folder."""
    path = Path(path)
    if path.is_dir():
        return read_folder(path, progress)
    return _each_once([(path, list(read_file(path, progress)))])


def read_folder(folder: str | Path, progress: Progress | None = None) -> list[CorefDocument]:
    """The documents of every file in a folder and the folders in it, in the order of their paths.

    Files end in conll (also v4_gold_conll and the like), .key or .response. OntoNotes has most
    documents twice, with gold and with automatic syntax; the latter are then left out.
    """
    folder = Path(folder)
    files = coreference_files(folder)
    documents = []
    for number, file in enumerate(files):
        if progress:
            progress("reading documents", number, len(files))
        documents.append((file, list(read_file(file))))
    return _each_once(documents)


def coreference_files(folder: Path) -> list[Path]:
    """The files of a folder that ``read_folder`` reads."""
    if not folder.is_dir():
        raise FileFormatError(f"There is no folder {folder}. Expected CoNLL-2012 files in it.")
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name.endswith(_ENDINGS)
    )
    names = {str(path) for path in files}
    files = [
        path
        for path in files
        if "_auto_conll" not in path.name
        or str(path).replace("_auto_conll", "_gold_conll") not in names
    ]
    if not files:
        raise FileFormatError(
            f"{folder} contains no CoNLL-2012 files. Expected names that end in conll, such as "
            f"book.conll or cctv_0000.v4_gold_conll."
        )
    return files


def _each_once(files: list[tuple[Path, list[CorefDocument]]]) -> list[CorefDocument]:
    origin: dict[str, Path] = {}
    for file, documents in files:
        for document in documents:
            if document.name in origin:
                raise FileFormatError(
                    f"Document {document.name} is in {file} and already in {origin[document.name]}."
                    f" Keep one of the two."
                )
            origin[document.name] = file
    return [document for _, documents in files for document in documents]
