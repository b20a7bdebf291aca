"""Answers of models that run elsewhere: files with texts or ids and their answers, looked up."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.text_files import json_from, small_text
from unslant.core.visible import safe_cell
from unslant.core.wording import some
from unslant.datasets.coreference.document import Clusters
from unslant.datasets.coreference.gap import GapExample, read_gap_answers
from unslant.predictors.protocols import (
    CausalLM,
    GapFiller,
    Likelihood,
    MaskedLM,
    NextSentence,
    NliModel,
    Plausibility,
    Sentiment,
    method_of,
)

# The rows of a file of answers: a table (.csv) or an object in each line (.jsonl).

FORMATS = (".csv", ".jsonl")
_LARGEST_FILE = 2 << 30


def answer_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each row with its line number; unreadable rows are reported immediately."""
    if path.suffix not in FORMATS:
        raise UnslantError(f"{path}: a file of answers ends in {' or '.join(FORMATS)}.")
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise UnslantError(f"The answers in {path} cannot be read: {error}.") from error
    return (_table if path.suffix == ".csv" else _objects)(text, path)


def _table(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UnslantError(f"{path} line {reader.line_num:,} is not CSV: {error}.") from error


def _objects(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, item in enumerate(text.split("\n"), 1):
        if not item.strip():
            continue
        try:
            row = json_from(item)
        except ValueError as error:
            raise UnslantError(f"{path} line {line:,} is not JSON: {error}.") from error
        if not isinstance(row, dict):
            raise UnslantError(f"{path} line {line:,} is not a JSON object.")
        yield line, row


# Answers made elsewhere that are stored by the ids of sentences, not by their texts.

_SHOWN = 3


class AnswersById:
    """The score of each sentence of a known set; other texts have none."""

    def __init__(self, path: str | Path, answers: Mapping[str, float]) -> None:
        self.path, self.name = Path(path), Path(path).name
        self.sha256 = sha256_of_file(self.path)
        self._answers = answers

    def of(self, ids: Sequence[str]) -> NDArray[np.float64]:
        """One score for each id; those that have none are named."""
        missing = [name for name in ids if name not in self._answers]
        if missing:
            raise UnslantError(
                f"{self.path} has no score for {len(missing):,} of {len(ids):,} sentences: "
                f"{some(missing, _SHOWN)}. A score of the others alone would not be "
                f"comparable; add the missing ones."
            )
        return np.array([self._answers[name] for name in ids], dtype=np.float64)

    def plausibility(self, contexts: Sequence[str], candidates: Sequence[str]) -> NoReturn:
        """Refuse: texts have no ids."""
        raise UnslantError(f"{self.path} has scores by id only, so it cannot be asked about texts.")


# Clusters that were made elsewhere: a file of texts with their clusters, looked up.

WORDS = "words"
CLUSTERS = "clusters"
_EXPECTED = "such as [[[0, 2], [7, 8]]]: each mention as its first word and the one after its last"


class ClusterAnswers:
    """A coreference model that looks its clusters up.

    The file is an export of the probe with one more column, ``clusters``: a list of clusters, each
    a list of mentions, each the number of its first word and of the one after its last, counted
    from 0. In .jsonl it is a list, in .csv the same as text.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        rows = answer_rows(self.path)
        self.name, self.sha256 = self.path.name, sha256_of_file(self.path)
        self._is_table = self.path.suffix == ".csv"
        self._found: dict[str, tuple[int, Clusters]] = {}
        for line, row in rows:
            self._add(line, row)

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        """The clusters of each text; one that the file does not have is named."""
        clusters = []
        for words in documents:
            text = " ".join(words)
            key = safe_cell(text) if self._is_table else text
            if key not in self._found:
                raise UnslantError(
                    f'{self.path} has no clusters for "{text[:80]}". A score of the other texts '
                    f"alone would not be comparable; export the texts (--export) and resolve all."
                )
            clusters.append(self._found[key][1])
        return clusters

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        where = f"{self.path} line {line:,}"
        words = row.get(WORDS)
        if isinstance(words, list):
            words = " ".join(map(str, words))
        if not isinstance(words, str) or not words:
            raise UnslantError(
                f'{where} has no "{WORDS}". Each row needs {WORDS} as exported and {CLUSTERS}, '
                f"{_EXPECTED}."
            )
        clusters = _clusters(row.get(CLUSTERS), where)
        known = self._found.setdefault(words, (line, clusters))
        if known[1] != clusters:
            raise UnslantError(
                f"{where} gives other clusters to the text of line {known[0]:,}. Keep one of the "
                f"two."
            )


def _clusters(given: object, where: str) -> Clusters:
    """The clusters as given; whether they fit their text is checked on use."""
    try:
        listed = json_from(given) if isinstance(given, str) else given
        if not isinstance(listed, list):
            raise TypeError
        return tuple(tuple((first, end) for first, end in cluster) for cluster in listed)
    except (TypeError, ValueError) as error:
        raise UnslantError(
            f'{where}: the "{CLUSTERS}" are {given!r:.60}; expected a list {_EXPECTED}.'
        ) from error


# Answers to GAP in the layout of its own scorer: an id, and TRUE or FALSE for both names.


class GapAnswers:
    """Answers from a .tsv, looked up by the ids of examples.

    An example without an answer is taken as FALSE for both names: a false negative only if one of
    them is true. ``missing`` counts them.
    """

    def __init__(self, path: Path, examples: Iterable[GapExample]) -> None:
        self.path, self.name, self.sha256 = path, path.name, sha256_of_file(path)
        self._answers = read_gap_answers(path)
        known = {one.id for one in examples}
        strange = [key for key in self._answers if key not in known]
        if strange:
            raise UnslantError(
                f'{path} has an answer to "{strange[0][:40]}", which is not in this part of GAP. '
                f"Name the part (--part)."
            )
        self.missing = len(known - set(self._answers))

    def said(self, example: GapExample) -> tuple[bool, bool]:
        """Whether the pronoun was predicted to refer to A, and to B."""
        return self._answers.get(example.id, (False, False))


# Answers that were made elsewhere: a file of texts with their answers, looked up.


@dataclass(frozen=True)
class Columns:
    """The columns of an answers file: the questions, and the model's answers.

    ``option`` is a column, the last of ``texts``, with the way in which a text is to be scored: the
    same for all texts of one call. ``usual`` is its default.
    """

    texts: tuple[str, ...]
    answers: tuple[str, ...]
    option: str = ""
    usual: str = ""

    def rows(self, *asked: Any, **named: str) -> Iterator[tuple[str, ...]]:
        """The questions, one row per text, from the arguments of the protocol's method."""
        if not self.option:
            return zip(*asked, strict=True)
        size = len(self.texts) - 1
        way = asked[size] if len(asked) > size else named.get(self.option, self.usual)
        return ((*row, way) for row in zip(*asked[:size], strict=True))


_COLUMNS: Mapping[type[Any], Columns] = {
    NliModel: Columns(("premise", "hypothesis"), ("entailment", "neutral", "contradiction")),
    Sentiment: Columns(("text",), ("score",)),
    CausalLM: Columns(("text",), ("log_likelihood",)),
    MaskedLM: Columns(("text", "filler"), ("log_probability",)),
    GapFiller: Columns(("text", "filler"), ("recovered",)),
    Likelihood: Columns(("text", "masking"), ("log_likelihood",), "masking", "words"),
    NextSentence: Columns(("first", "second"), ("log_odds",)),
    Plausibility: Columns(("context", "candidate"), ("plausibility",)),
}


def columns_for(need: type[Any]) -> Columns:
    """The columns of answers to a protocol's questions."""
    if need not in _COLUMNS:
        raise UnslantError(
            f"The answers of a {need.__name__} are not numbers in columns, so they cannot be read "
            f"from a file. Give a model with the method {method_of(need)}."
        )
    return _COLUMNS[need]


class Scores:
    """A predictor that looks its answers up; it has the method of its protocol."""

    def __init__(self, path: str | Path, need: type[Any]) -> None:
        self.path, self.columns = Path(path), columns_for(need)
        self.name = self.path.name
        rows = answer_rows(self.path)
        self.sha256 = sha256_of_file(self.path)
        self._is_table = self.path.suffix == ".csv"
        self._places: dict[tuple[str, ...], int] = {}
        self._lines: list[int] = []
        self._answers: list[tuple[float, ...]] = []
        for line, row in rows:
            self._add(line, row)
        setattr(self, method_of(need), self.look_up)

    def look_up(self, *texts: Any, **named: str) -> NDArray[np.float64]:
        """The answers to these texts, one row for each, or one number if there is one column."""
        places = []
        for asked in self.columns.rows(*texts, **named):
            place = self._places.get(self._key(asked))
            if place is None:
                shown = " / ".join(f'"{text}"' for text in asked)
                raise UnslantError(
                    f"{self.path} has no answer to {shown}. Write the texts with --export, and "
                    f"add {' and '.join(self.columns.answers)} to every row."
                )
            places.append(self._answers[place])
        answers = np.array(places, dtype=np.float64).reshape(-1, len(self.columns.answers))
        return answers if len(self.columns.answers) > 1 else answers[:, 0]

    def _key(self, texts: Sequence[str]) -> tuple[str, ...]:
        # An exported table has an apostrophe before what a spreadsheet would take for a formula.
        return tuple(map(safe_cell, texts)) if self._is_table else tuple(texts)

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        where = f"{self.path} line {line:,}"
        for column in (*self.columns.texts, *self.columns.answers):
            if row.get(column) in (None, ""):
                raise UnslantError(
                    f'{where} has no "{column}". Each row needs {", ".join(self.columns.texts)} '
                    f"as exported and {', '.join(self.columns.answers)}."
                )
        key = tuple(str(row[column]) for column in self.columns.texts)
        answer = tuple(_number(row[name], name, where) for name in self.columns.answers)
        place = self._places.setdefault(key, len(self._answers))
        if place == len(self._answers):
            self._answers.append(answer)
            self._lines.append(line)
        elif self._answers[place] != answer:  # a set that repeats a word asks some texts twice
            raise UnslantError(
                f"{where} gives another answer to the text of line {self._lines[place]:,}. Keep "
                f"one of the two."
            )


def _number(value: Any, column: str, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        raise UnslantError(f'{where}: "{column}" is {value!r}; expected a finite number.')
    return number


# Tags that were given elsewhere: a file of sentences with their tags, looked up.

TAGS = "tags"


class TagAnswers:
    """A tagger that looks its tags up.

    The file is an export of the probe with one more column, ``tags``: as many tags as there are
    words, with a space between each (in .jsonl both may be lists).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        rows = answer_rows(self.path)
        self.name, self.sha256 = self.path.name, sha256_of_file(self.path)
        self._is_table = self.path.suffix == ".csv"
        self._tags: dict[str, tuple[int, str]] = {}
        for line, row in rows:
            self._add(line, row)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """The tags of each sentence; one that the file does not have is named."""
        tags = []
        for words in sentences:
            text = " ".join(words)
            key = safe_cell(text) if self._is_table else text
            if key not in self._tags:
                raise UnslantError(
                    f'{self.path} has no tags for "{text[:80]}". A score of the other sentences '
                    f"alone would not be comparable; export the sentences (--export) and tag all."
                )
            tags.append(tuple(self._tags[key][1].split(" ")))
        return tags

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        where = f"{self.path} line {line:,}"
        words, tags = (_joined(row.get(column)) for column in (WORDS, TAGS))
        for column, text in ((WORDS, words), (TAGS, tags)):
            if not text:
                raise UnslantError(
                    f'{where} has no "{column}". Each row needs {WORDS} as exported and {TAGS}, '
                    f"with a space between each."
                )
        if words.count(" ") != tags.count(" "):
            raise UnslantError(
                f"{where}: {tags.count(' ') + 1} tags for {words.count(' ') + 1} words; expected "
                f"one for each, with a space between them."
            )
        known = self._tags.setdefault(words, (line, tags))
        if known[1] != tags:
            raise UnslantError(
                f"{where} gives other tags to the sentence of line {known[0]:,}. Keep one of the "
                f"two."
            )


def _joined(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value if isinstance(value, str) else ""
