"""Read similarity and analogy benchmarks in their published file formats."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from unslant.core.errors import FileFormatError, UnknownNameError
from unslant.datasets.registry import datasets, find

T = TypeVar("T")

_ANSWERS = {".questions": ".answers"}


@dataclass(frozen=True)
class RatedPair:
    """Two words and their human similarity score."""

    first: str
    second: str
    score: float


@dataclass(frozen=True)
class AnalogyQuestion:
    """a is to b as c is to d, with the benchmark section it belongs to."""

    section: str
    a: str
    b: str
    c: str
    d: str


def benchmark_file(kind: str, name: str) -> Path:
    """The pinned file of a known benchmark, or the user's own file."""
    if f"{kind}/{name}" in datasets():
        return find(f"{kind}/{name}")
    if Path(name).is_file():
        return Path(name)
    known = [key.partition("/")[2] for key in datasets() if key.startswith(f"{kind}/")]
    raise UnknownNameError(f"{kind} dataset or file", name, known)


def files_of(path: Path) -> tuple[Path, ...]:
    """The file of a benchmark and, for MSR's questions, the answers file next to it."""
    return (path, path.with_suffix(_ANSWERS[path.suffix])) if path.suffix in _ANSWERS else (path,)


def read_pairs(path: Path) -> list[RatedPair]:
    """Lines of two words and a number, separated by tabs, spaces, commas or semicolons."""
    pairs = []
    for number, line in _lines(path):
        if line.startswith("#"):
            continue
        fields = [field for field in re.split(r"[\s,;]+", line) if field]
        try:
            first, second, score = fields
            pairs.append(RatedPair(first, second, float(score)))
        except ValueError as error:
            raise FileFormatError(
                f"{path}, line {number}: expected two words and a number, separated by tabs. "
                f"Found {line[:60]!r}."
            ) from error
    return _some(pairs, path)


def read_questions(path: Path) -> list[AnalogyQuestion]:
    """Analogies in word2vec's text format, as a table (.csv), or as MSR's questions and answers.

    The text has ``: section`` lines and lines of four words. The table has the columns type,
    word1, word2, word3 and target. MSR's release has three words per line in ``….questions``,
    and the section and the fourth word in ``….answers`` next to it.
    """
    if path.suffix == ".csv":
        return _some(list(_from_table(path)), path)
    if path.suffix in _ANSWERS:
        return _some(list(_from_two_files(path)), path)
    return _some(list(_from_text(path)), path)


def _from_text(path: Path) -> Iterator[AnalogyQuestion]:
    section = None
    for number, line in _lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        words = line.split()
        if section is None or len(words) != 4:
            raise FileFormatError(
                f"{path}, line {number}: expected four words after a line “: section”. "
                f"Found {line[:60]!r}."
            )
        yield AnalogyQuestion(section, *words)


def _from_table(path: Path) -> Iterator[AnalogyQuestion]:
    columns = ("type", "word1", "word2", "word3", "target")
    with path.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream), 2):
            cells = [row.get(column) for column in columns]
            words = [cell for cell in cells if cell]
            if len(words) != len(columns):
                raise FileFormatError(
                    f"{path}, line {number}: expected a word in each of the columns "
                    f"{', '.join(columns)}."
                )
            yield AnalogyQuestion(*words)


def _from_two_files(path: Path) -> Iterator[AnalogyQuestion]:
    other = path.with_suffix(_ANSWERS[path.suffix])
    if not other.is_file():
        raise FileFormatError(f"{path} needs its answers next to it, in {other.name}.")
    questions, answers = list(_lines(path)), list(_lines(other))
    if len(questions) != len(answers):
        raise FileFormatError(
            f"{path} has {len(questions):,} questions and {other.name} {len(answers):,} answers."
        )
    for (number, line), (_, answer) in zip(questions, answers, strict=True):
        words, solution = line.split(), answer.split()
        if len(words) != 3 or len(solution) != 2:
            raise FileFormatError(
                f"{path}, question {number}: expected three words, and in {other.name} the section "
                f"and one word. Found {line[:40]!r} and {answer[:40]!r}."
            )
        section, d = solution
        a, b, c = words
        yield AnalogyQuestion(section, a, b, c, d)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path} is not UTF-8 text.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.strip()


def _some(items: list[T], path: Path) -> list[T]:
    if not items:
        raise FileFormatError(f"{path} contains nothing to evaluate.")
    return items
