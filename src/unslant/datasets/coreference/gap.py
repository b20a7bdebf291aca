"""GAP (Webster et al. 2018): snippets of Wikipedia with a pronoun and two names.

A tab-separated table: the text, and for the pronoun and both names the word and the character at
which it begins. These are turned into spans of words exactly: the text is cut at their ends.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.core.text_files import small_text
from unslant.datasets.coreference.document import Span, cut

_LARGEST_FILE = 256 << 20
COLUMNS = (
    *("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref"),
    *("B", "B-offset", "B-coref"),
)
_MALE, _FEMALE = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})


@dataclass(frozen=True)
class GapExample:
    """A pronoun, the names A and B as spans of words, and whether each is what it refers to."""

    id: str
    words: tuple[str, ...]
    pronoun: Span
    names: tuple[Span, Span]
    is_true: tuple[bool, bool]
    gender: Literal["female", "male"]

    def text(self, span: Span) -> str:
        """The words of a span."""
        return " ".join(self.words[slice(*span)])


def read_gap(path: Path) -> list[GapExample]:
    """The examples of a file in the released layout."""
    try:
        lines = small_text(path, _LARGEST_FILE).replace("\r\n", "\n").split("\n")
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    if tuple(lines[0].split("\t")[: len(COLUMNS)]) != COLUMNS:
        raise FileFormatError(
            f"{path} is not a file of GAP. Expected tab-separated columns with the names "
            f"{', '.join(COLUMNS)} in the first line."
        )
    return [
        _example(line.split("\t"), f"{path} line {number:,}")
        for number, line in enumerate(lines[1:], 2)
        if line
    ]


def read_gap_answers(path: Path) -> dict[str, tuple[bool, bool]]:
    """Answers in the layout of GAP's scorer: an id and TRUE or FALSE for A and for B."""
    answers: dict[str, tuple[bool, bool]] = {}
    for number, line in enumerate(small_text(path, _LARGEST_FILE).split("\n"), 1):
        cells = line.rstrip("\r").split("\t")
        if not line.strip():
            continue
        if len(cells) != 3 or any(cell.upper() not in ("TRUE", "FALSE") for cell in cells[1:]):
            raise FileFormatError(
                f"{path} line {number:,}: expected an id and TRUE or FALSE for A and for B, with "
                f"tabs between them."
            )
        if cells[0] in answers:
            raise FileFormatError(f"{path} line {number:,}: {cells[0]} is there twice.")
        answers[cells[0]] = (cells[1].upper() == "TRUE", cells[2].upper() == "TRUE")
    return answers


def _example(row: list[str], where: str) -> GapExample:
    if len(row) < len(COLUMNS):
        raise DamagedFileError(
            f"{where}: {len(row)} columns, expected {len(COLUMNS)}. The line may be cut."
        )
    cell = dict(zip(COLUMNS, row, strict=False))
    text = cell["Text"]
    places = [_place(cell, name, text, where) for name in ("Pronoun", "A", "B")]
    found = cut(text, (end for place in places for end in place))
    try:
        pronoun, first, second = (found.span(*place) for place in places)
    except ValueError as error:
        raise DamagedFileError(f"{where}: {error}.") from error
    return GapExample(
        id=cell["ID"],
        words=found.words,
        pronoun=pronoun,
        names=(first, second),
        is_true=(_truth(cell, "A-coref", where), _truth(cell, "B-coref", where)),
        gender=_gender(cell["Pronoun"], where),
    )


def _place(cell: dict[str, str], name: str, text: str, where: str) -> Span:
    word, offset = cell[name], cell[f"{name}-offset"]
    begin = int(offset) if offset.isdecimal() else -1
    if not word or begin < 0 or text[begin : begin + len(word)] != word:
        raise DamagedFileError(
            f"{where}: {word!r:.40} is not in the text at character {offset[:20]}. Was the file "
            f"changed?"
        )
    return begin, begin + len(word)


def _truth(cell: dict[str, str], name: str, where: str) -> bool:
    if cell[name].upper() not in ("TRUE", "FALSE"):
        raise DamagedFileError(f"{where}: {name} is {cell[name]!r:.20}, expected TRUE or FALSE.")
    return cell[name].upper() == "TRUE"


def _gender(pronoun: str, where: str) -> Literal["female", "male"]:
    if pronoun.lower() in _FEMALE:
        return "female"
    if pronoun.lower() in _MALE:
        return "male"
    raise DamagedFileError(f"{where}: {pronoun!r:.20} is not a pronoun of one gender.")
