"""The pairs of one file in any supported format, with the problems of its lines."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from unslant.core.errors import DamagedFileError, FileFormatError, quoted
from unslant.core.visible import legible
from unslant.datasets.nli.text import BadLine, Line, Tick, first_line, numbered_lines

# A pair, and the words and numbers that files use for its label.

LABELS = ("entailment", "neutral", "contradiction")
"""The order of the three probabilities everywhere."""

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

_NAMED = {name: place for place, name in enumerate(LABELS)}
_NUMBERED = {"1": NEUTRAL, "2": CONTRADICTION, "3": ENTAILMENT}
_NO_LABEL = {"-", "hidden"}  # no majority among the annotators; withheld by MultiNLI


class LabelledPair(NamedTuple):
    """Two sentences and the index of their label in ``LABELS``."""

    premise: str
    hypothesis: str
    label: int


def pair_of(
    premise: str, hypothesis: str, label: str, *, numbered: bool = False
) -> LabelledPair | None:
    """The pair, or None if it has no label; an empty sentence is refused."""
    # Without a label the sentences are not used, so they are not checked.
    if label in _NO_LABEL:
        return None
    place = _NUMBERED.get(label) if numbered else _NAMED.get(label.lower())
    if place is None:
        known = "1, 2 or 3" if numbered else f"{', '.join(LABELS)} or -"
        raise BadLine(f'unknown label "{legible(label)}", expected {known}')
    for which, sentence in (("first", premise), ("second", hypothesis)):
        if not sentence or sentence.isspace():
            raise BadLine(f"the {which} sentence is empty, expected at least one word")
    return LabelledPair(premise, hypothesis, place)


_KEYS = ("sentence1", "sentence2", "gold_label")

_PREMISES = (
    ("sentence1",),
    ("sentence_A",),
    ("premise1", "premise2", "premise3", "premise4"),
    ("premise",),
)
_HYPOTHESES = ("sentence2", "sentence_B", "hypothesis")
_LABELS = ("gold_label", "entailment_judgment", "entailment_label", "label")
_IMAGE = re.compile(r"[^/\s]{1,80}\.jpg#\d{1,3}/")
Parse = Callable[[str], LabelledPair | None]

_TRIPLE = ("s1", "s2", "labels")


def parse_object(text: str) -> LabelledPair | None:
    """The pair in a line of SNLI and MultiNLI as published: one JSON object."""
    try:
        item = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadLine("not JSON, expected one object with " + ", ".join(_KEYS)) from error
    if not isinstance(item, dict):
        raise BadLine("JSON but not an object, expected one with " + ", ".join(_KEYS))
    for key in _KEYS:
        if key not in item:
            raise BadLine(f'no "{key}", expected an object with {", ".join(_KEYS)}')
        if not isinstance(item[key], str):
            raise BadLine(f'"{key}" is not a string, expected text')
        # JSON can contain an unpaired surrogate, which no UTF-8 file can.
        if "\\u" in text and any("\ud800" <= c <= "\udfff" for c in item[key]):
            raise BadLine(f'"{key}" contains half a surrogate pair, expected complete characters')
    return pair_of(*(item[key] for key in _KEYS))


def parser_for(header: str) -> Parse | None:
    """How to read the lines under this header, or None if it names no pairs."""
    names = header.split("\t")
    premises = next((group for group in _PREMISES if set(group) <= set(names)), None)
    hypothesis = next((name for name in _HYPOTHESES if name in names), None)
    label = next((name for name in _LABELS if name in names), None)
    if premises is None or hypothesis is None or label is None:
        return None
    places = [names.index(name) for name in premises]
    second, third = names.index(hypothesis), names.index(label)
    fewest = _fewest(names)

    def parse(text: str) -> LabelledPair | None:
        cells = text.split("\t")
        if not fewest <= len(cells) <= len(names):
            raise _wrong_count(cells, len(names), "as in the header")
        parts = (_IMAGE.sub("", cells[place], count=1).strip() for place in places)
        return pair_of(" ".join(filter(None, parts)), cells[second], cells[third].strip())

    return parse


def parse_subset(text: str) -> LabelledPair | None:
    """A line in the SNLI subsets: label, label, premise, hypothesis."""
    cells = text.split("\t")
    if len(cells) != 4:
        raise _wrong_count(cells, 4, "label, label, premise, hypothesis")
    if cells[0] != cells[1]:
        raise BadLine("the first two columns differ, expected the same label twice")
    return pair_of(cells[2], cells[3], cells[0], numbered=True)


def looks_like_subset(text: str) -> bool:
    """Whether a first line belongs to a subset."""
    cells = text.split("\t")
    return len(cells) == 4 and cells[0] in ("1", "2", "3") and cells[0] == cells[1]


def _fewest(names: Sequence[str]) -> int:
    """The official tables omit trailing columns of annotators who gave no answer."""
    count = len(names)
    while count and re.fullmatch(r"label\d", names[count - 1]):
        count -= 1
    return count


def _wrong_count(cells: Sequence[str], expected: int, which: str) -> BadLine:
    word = "column" if len(cells) == 1 else "columns"
    return BadLine(f"{len(cells):,} {word}, expected {expected} ({which}) separated by tabs")


class LineContent(NamedTuple):
    """The content of a line: a pair, None if the pair has no label, or a problem."""

    line: int
    what: LabelledPair | BadLine | None


def everything_in(path: Path, tick: Tick | None = None) -> Iterator[LineContent]:
    """The content of each line of a file after its header."""
    if is_triple(path):
        return _triple(path, tick)
    if re.search(r"\.jsonl(\.gz)?$", path.name):
        return _lines(path, parse_object, tick)
    head = first_line(path)
    if under := parser_for(head):
        return _lines(path, under, tick, header=1)
    if head.startswith("{"):
        return _lines(path, parse_object, tick)
    if looks_like_subset(head) or path.name.startswith("subset-"):
        return _lines(path, parse_subset, tick)
    raise FileFormatError(
        f"{path} is not a supported file of sentence pairs. Expected JSON lines with "
        f"sentence1, sentence2 and gold_label; a tab-separated table whose header names two "
        f"sentences and a label (sentence1, sentence2, gold_label or as in SICK and MPE); four "
        f"columns label, label, premise, hypothesis; or s1.X with s2.X and labels.X next to it."
    )


def refusal(path: Path, found: LineContent) -> DamagedFileError:
    """The message for a line that stops the reading."""
    return DamagedFileError(
        f"{path} line {found.line:,}: {found.what}. Fix the line, or skip such lines with "
        f"[[skip_bad|--skip-bad]]; the record then lists them."
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
    path: Path, parse: Callable[[str], LabelledPair | None], tick: Tick | None, header: int = 0
) -> Iterator[LineContent]:
    for line in numbered_lines(path, tick):
        if line.number > header:
            try:
                yield LineContent(line.number, parse(line.text()))
            except BadLine as bad:
                yield LineContent(line.number, bad)


def _triple(path: Path, tick: Tick | None) -> Iterator[LineContent]:
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
            yield LineContent(number, _together(parts, lines))
        except BadLine as bad:
            yield LineContent(number, bad)


def _together(parts: Sequence[Path], lines: Sequence[Line | None]) -> LabelledPair | None:
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


# Which files in a folder are training, dev and test data.

_KINDS = {"train": ("train",), "dev": ("dev", "trial"), "test": ("test",)}
_READABLE = re.compile(r"\.(?P<kind>jsonl|tsv|txt)(?:\.gz)?$")
_PREFERRED = ("jsonl", "tsv", "txt")


@dataclass(frozen=True)
class CorpusFiles:
    """The files of each split, and the unused files with the reasons."""

    train: tuple[Path, ...] = ()
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()
    left: dict[str, str] = field(default_factory=dict)


def scan(folder: Path) -> CorpusFiles:
    """The splits of a folder, by the names of its files."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise FileFormatError(
            f"Cannot read {folder}: {error.strerror}. Expected a folder with NLI data."
        ) from error
    chosen: dict[str, list[Path]] = {"train": [], "dev": [], "test": []}
    left: dict[str, str] = {}
    for path, twin in _without_twins(files):
        kind = _kind(path)
        if not is_triple(path) and not _READABLE.search(path.name):
            left[path.name] = "neither jsonl, tsv, txt nor s1, s2 and labels"
        elif kind is None:
            left[path.name] = "its name contains neither train, dev nor test"
        elif twin is not None:
            left[path.name] = f"{twin.name} has the same name in another format"
        elif path == parts_of(path)[0]:
            chosen[kind].append(path)
        elif not parts_of(path)[0].is_file():
            left[path.name] = f"{parts_of(path)[0].name} is not next to it"
    return CorpusFiles(**{kind: tuple(paths) for kind, paths in chosen.items()}, left=left)


def _kind(path: Path) -> str | None:
    name = path.name.lower()
    kinds = [kind for kind, marks in _KINDS.items() if any(mark in name for mark in marks)]
    if len(kinds) > 1:
        raise FileFormatError(
            f"The name of {path} could mean {' or '.join(kinds)} data. Name the files of each "
            f"split, or rename it."
        )
    # A subset belongs to the training data, unless its name says otherwise.
    return kinds[0] if kinds else "train" if "subset" in name else None


def _without_twins(files: Iterable[Path]) -> list[tuple[Path, Path | None]]:
    """Each file with the better one of the same name: SNLI comes as jsonl and as txt at once."""
    best: dict[str, Path] = {}
    stems: list[tuple[Path, str]] = []
    for path in files:
        match = None if is_triple(path) else _READABLE.search(path.name)
        stem = path.name[: match.start()] if match else path.name
        stems.append((path, stem))
        if match and (stem not in best or _rank(path) < _rank(best[stem])):
            best[stem] = path
    return [
        (path, None if best.get(stem, path) == path or is_triple(path) else best[stem])
        for path, stem in stems
    ]


def _rank(path: Path) -> tuple[int, int]:
    match = _READABLE.search(path.name)
    assert match, "only readable files are ranked"
    return _PREFERRED.index(match["kind"]), len(path.name)


def complete(layout: CorpusFiles, where: str) -> CorpusFiles:
    """The layout, if it has the data that training needs."""
    for kind, example in (("train", "snli_1.0_train.jsonl"), ("dev", "snli_1.0_dev.jsonl")):
        if not getattr(layout, kind):
            names = quoted(sorted(layout.left)) or "none"
            raise FileFormatError(
                f"{where} has no {kind} data: expected a file such as {example}, recognised "
                f"by its name or given as {kind} data. Files not used: {names}."
            )
    return layout
