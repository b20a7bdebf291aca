"""Which files in a folder are training, dev and test data."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from unslant.core.errors import FileFormatError, quoted
from unslant.datasets.nli.pairs import is_triple, parts_of

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
