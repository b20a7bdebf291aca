"""The texts of a probe as a file, for models that live elsewhere."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import OutputError
from unslant.core.files import Progress, atomic_write
from unslant.core.visible import safe_cell
from unslant.measures.setting import Setting
from unslant.predictors.answers import FORMATS, Columns, columns_for
from unslant.predictors.protocols import method_of
from unslant.probes.abilities import AsksSet, Exports
from unslant.probes.nli.pairset import PairSet, group_at

_EVERY = 20_000
Row = tuple[str, ...]


def sheet_of(made: Any, need: type[Any]) -> tuple[Row, int, Iterator[Row]]:
    """The columns, the number and the rows of what a probe asks.

    A probe that does not write them itself is run on a model that only takes down the texts.
    """
    asked = made.questions() if isinstance(made, AsksSet) else None
    if isinstance(made, Exports):
        return made.exported(asked)
    columns = columns_for(need)
    taken = _TakesDown(columns)
    setattr(taken, method_of(need), taken.answer)
    made.run(taken, asked, Setting(values_only=True))
    rows = list(dict.fromkeys(taken.rows))
    return columns.texts, len(rows), iter(rows)


class _TakesDown:
    """A model that records its questions and always returns the same answer."""

    def __init__(self, columns: Columns) -> None:
        self.columns, self.answers, self.rows = columns, len(columns.answers), list[Row]()

    def answer(self, *texts: Any, **named: str) -> NDArray[np.float64]:
        asked = list(self.columns.rows(*texts, **named))
        self.rows += asked
        shape = (len(asked), self.answers) if self.answers > 1 else (len(asked),)
        return np.full(shape, 1 / self.answers if self.answers > 1 else 0.0)


def check_ending(path: Path) -> None:
    """Refuse a file that rows are not written to."""
    if path.suffix not in FORMATS:
        raise OutputError(f"Cannot write {path}: its name must end in {' or '.join(FORMATS)}.")


def write_rows(
    columns: Row, rows: Iterator[Row], total: int, path: Path, progress: Progress | None = None
) -> None:
    """Write the rows as .csv or .jsonl.

    In a table, a cell that a spreadsheet would take for a formula gets an apostrophe in front; a
    .jsonl file has every text as it is.
    """
    check_ending(path)
    with atomic_write(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        write = (_table if path.suffix == ".csv" else _objects)(stream, columns)
        for done, row in enumerate(rows):
            if progress and done % _EVERY == 0:
                progress(f"Writing {path.name}", done, total)
            write(row)
        stream.detach()  # flushes, and leaves the file open for its move into place
    if progress:
        progress(f"Writing {path.name}", total, total)


def _table(stream: IO[str], columns: Row) -> Callable[[Row], object]:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    return lambda row: writer.writerow([safe_cell(cell) for cell in row])


def _objects(stream: IO[str], columns: Row) -> Callable[[Row], object]:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    return lambda row: stream.write(encode(dict(zip(columns, row, strict=True))) + "\n")


# Test sets as files, for models that live elsewhere: one pair a line, each with its id.

COLUMNS = (
    "id",
    "premise",
    "hypothesis",
    "label",
    "premise_word",
    "hypothesis_word",
    "premise_group",
    "hypothesis_group",
)
"""The columns of every export; after them come the slots of the sentence."""


def export(pairs: PairSet, path: str | Path, *, progress: Progress | None = None) -> int:
    """Write the pairs that count to a .csv or .jsonl file, and say how many there are."""
    write_rows(columns(pairs), rows(pairs), len(pairs), Path(path), progress)
    return len(pairs)


def columns(pairs: PairSet) -> Row:
    """The columns of a set's export."""
    return (*COLUMNS, *pairs.context_slots)


def rows(pairs: PairSet) -> Iterator[Row]:
    """One row for each pair that counts: id, sentences, right answer, words and groups."""
    premise_groups, hypothesis_groups = (
        [group_at(groups, place) for place in range(size)]
        for groups, size in (
            (pairs.premise_groups, len(pairs.premise_words)),
            (pairs.hypothesis_groups, len(pairs.hypothesis_words)),
        )
    )
    for pair in pairs.pairs():
        p, h, c = pair.place
        yield (
            pair.id,
            pair.premise,
            pair.hypothesis,
            pairs.label(p, h),
            pairs.premise_words[p],
            pairs.hypothesis_words[h],
            premise_groups[p],
            hypothesis_groups[h],
            *pairs.context_words[c],
        )
