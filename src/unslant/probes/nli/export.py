"""Test sets as files, for models that live elsewhere: one pair a line, each with its id."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, atomic_write
from unslant.core.spreadsheets import safe_cell
from unslant.probes.nli.pairset import PairSet, group_at

FORMATS = (".csv", ".jsonl")
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
_EVERY = 20_000
Row = tuple[str, ...]


def export(
    pairs: PairSet, path: str | Path, *, limit: int | None = None, progress: Progress | None = None
) -> int:
    """Write the pairs that count, or the first ``limit`` of them, and say how many there are.

    The name ends in .csv or .jsonl. In a table, a cell that a spreadsheet would take for a
    formula gets an apostrophe in front; a .jsonl file has every text as it is.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise OutputError(f"Cannot write {target}: its name must end in {' or '.join(FORMATS)}.")
    if limit is not None and limit < 1:
        raise UnslantError(f"An export has at least 1 pair. Got a limit of {limit} instead.")
    total = len(pairs) if limit is None else min(limit, len(pairs))
    columns = (*COLUMNS, *pairs.context_slots)
    with atomic_write(target) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        write = (_table if target.suffix == ".csv" else _objects)(stream, columns)
        for done, row in enumerate(islice(rows(pairs), total)):
            if progress and done % _EVERY == 0:
                progress(f"Writing {target.name}", done, total)
            write(row)
        stream.detach()  # flushes, and leaves the file open for its move into place
    if progress:
        progress(f"Writing {target.name}", total, total)
    return total


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


def _table(stream: IO[str], columns: Row) -> Callable[[Row], object]:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    return lambda row: writer.writerow([safe_cell(cell) for cell in row])


def _objects(stream: IO[str], columns: Row) -> Callable[[Row], object]:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    return lambda row: stream.write(encode(dict(zip(columns, row, strict=True))) + "\n")
