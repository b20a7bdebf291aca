"""The pairs of one file in any supported format, with the problems of its lines."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.datasets.nli import columns, jsonl
from unslant.datasets.nli.labels import Pair, pair_of
from unslant.datasets.nli.lines import BadLine, Line, Tick, first_line, numbered_lines

_TRIPLE = ("s1", "s2", "labels")


class Found(NamedTuple):
    """The content of a line: a pair, None if the pair has no label, or a problem."""

    line: int
    what: Pair | BadLine | None


def everything_in(path: Path, tick: Tick | None = None) -> Iterator[Found]:
    """The content of each line of a file after its header."""
    if is_triple(path):
        return _triple(path, tick)
    if re.search(r"\.jsonl(\.gz)?$", path.name):
        return _lines(path, jsonl.parse, tick)
    head = first_line(path)
    if under := columns.parser_for(head):
        return _lines(path, under, tick, header=1)
    if head.startswith("{"):
        return _lines(path, jsonl.parse, tick)
    if columns.looks_like_subset(head) or path.name.startswith("subset-"):
        return _lines(path, columns.parse_subset, tick)
    raise FileFormatError(
        f"{path} is not a supported file of sentence pairs. Expected JSON lines with "
        f"sentence1, sentence2 and gold_label; a tab-separated table whose header names two "
        f"sentences and a label (sentence1, sentence2, gold_label or as in SICK and MPE); four "
        f"columns label, label, premise, hypothesis; or s1.X with s2.X and labels.X next to it."
    )


def refusal(path: Path, found: Found) -> DamagedFileError:
    """The message for a line that stops the reading."""
    return DamagedFileError(
        f"{path} line {found.line:,}: {found.what}. Fix the line, or skip such lines with "
        f"skip_bad (--skip-bad); the record then lists them."
    )


def is_triple(path: Path) -> bool:
    """Whether a file is one of three with separate premises, hypotheses and labels."""
    return path.name.split(".")[0] in _TRIPLE and "." in path.name


def parts_of(path: Path) -> tuple[Path, ...]:
    """The files of one source: three for a triple, otherwise the file itself."""
    if not is_triple(path):
        return (path,)
    ending = path.name.split(".", 1)[1]
    return tuple(path.with_name(f"{part}.{ending}") for part in _TRIPLE)


def _lines(
    path: Path, parse: Callable[[str], Pair | None], tick: Tick | None, header: int = 0
) -> Iterator[Found]:
    for line in numbered_lines(path, tick):
        if line.number > header:
            try:
                yield Found(line.number, parse(line.text()))
            except BadLine as bad:
                yield Found(line.number, bad)


def _triple(path: Path, tick: Tick | None) -> Iterator[Found]:
    parts = parts_of(path)
    # Each file counts its own bytes; the three together are what has been read.
    done = [0, 0, 0]

    def ticks_of(part: int) -> Tick:
        def count(read: int) -> None:
            done[part] = read
            if tick:
                tick(sum(done))

        return count

    streams = [numbered_lines(part, ticks_of(place)) for place, part in enumerate(parts)]
    for number, lines in enumerate(zip_longest(*streams), 1):
        try:
            yield Found(number, _together(parts, lines))
        except BadLine as bad:
            yield Found(number, bad)


def _together(parts: Sequence[Path], lines: Sequence[Line | None]) -> Pair | None:
    present = [line for line in lines if line is not None]
    if len(present) < len(parts):
        ended = " and ".join(
            part.name for part, line in zip(parts, lines, strict=True) if line is None
        )
        raise BadLine(
            f"{ended} has fewer lines than the other files, expected the same number in each "
            f"(if a line was lost, earlier pairs may not belong together)"
        )
    premise, hypothesis, label = (line.text() for line in present)
    return pair_of(premise, hypothesis, label.strip())
