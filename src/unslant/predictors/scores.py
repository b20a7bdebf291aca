"""Answers that were made elsewhere: a file of texts with their answers, looked up."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.visible import safe_cell
from unslant.predictors.accepted import method_of
from unslant.predictors.answer_rows import answer_rows
from unslant.predictors.causal_lm import CausalLM
from unslant.predictors.gap_filler import GapFiller
from unslant.predictors.likelihood import Likelihood
from unslant.predictors.masked_lm import MaskedLM
from unslant.predictors.next_sentence import NextSentence
from unslant.predictors.nli import NliModel
from unslant.predictors.plausibility import Plausibility
from unslant.predictors.sentiment import Sentiment


@dataclass(frozen=True)
class Columns:
    """The columns of a file of answers: what is asked, and what the model answered.

    ``option`` is a column, the last of ``texts``, with the way in which a text is to be scored: the
    same for all texts that are asked together. ``usual`` is what it is unless told.
    """

    texts: tuple[str, ...]
    answers: tuple[str, ...]
    option: str = ""
    usual: str = ""

    def rows(self, *asked: Any, **named: str) -> Iterator[tuple[str, ...]]:
        """What is asked, a row for each text, from the arguments of the protocol's method."""
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
    """A predictor that looks its answers up; it has the method of the protocol it stands for."""

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
        found = np.array(places, dtype=np.float64).reshape(-1, len(self.columns.answers))
        return found if len(self.columns.answers) > 1 else found[:, 0]

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
