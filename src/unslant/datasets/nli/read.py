"""Read training, dev and test pairs, and remove dev and test pairs from the training data."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unslant.core.files import Progress
from unslant.datasets.nli.layout import Layout, complete, scan
from unslant.datasets.nli.reader import Reader
from unslant.datasets.nli.values import Corpus

Files = str | Path | Sequence[str | Path]


class Splits(NamedTuple):
    """Training, dev and test data that share one vocabulary."""

    train: Corpus
    dev: Corpus
    test: Corpus | None

    @property
    def skipped(self) -> int:
        """How many malformed lines were skipped in all files together."""
        records = [part.record for part in self if part is not None]
        aside = self.train.record.get("held out", {})
        return sum(record.get("bad lines", 0) for record in (*records, aside))


def read_corpus(
    folder: str | Path | None = None,
    *,
    train: Files = (),
    dev: Files = (),
    test: Files = (),
    held_out: Files = (),
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Splits:
    """The pairs in a folder, or in the given files, as arrays.

    In a folder, names with "train" or "subset" are training data, with "dev" or "trial" dev data
    and with "test" test data; files given explicitly replace those found. A training pair
    whose tokens also occur in dev, test or ``held_out`` data is dropped, and so is the second of
    two equal training pairs; dev and test keep their repeats, as in the published scores. The
    records count all of this.
    """
    named = Layout(_paths(train), _paths(dev), _paths(test))
    found = scan(Path(folder)) if folder is not None else Layout()
    layout = Layout(
        named.train or found.train, named.dev or found.dev, named.test or found.test, found.left
    )
    complete(layout, str(folder) if folder is not None else "What was named")
    aside = _paths(held_out)
    reader = Reader((*layout.dev, *layout.test, *aside, *layout.train), skip_bad, progress)
    forbidden: dict[bytes, int] = {}
    dev_part = reader.split(layout.dev, "dev", forbidden)
    test_part = reader.split(layout.test, "test", forbidden) if layout.test else None
    aside_record = reader.only_keys(aside, forbidden)
    train_part = reader.split(layout.train, "training", {}, forbidden)
    vocabulary = tuple(reader.ids)
    extra = {"held out": aside_record, "files not taken": layout.left}
    return Splits(
        train_part.corpus(vocabulary, extra),
        dev_part.corpus(vocabulary),
        test_part.corpus(vocabulary) if test_part else None,
    )


def _paths(files: Files) -> tuple[Path, ...]:
    return (Path(files),) if isinstance(files, str | Path) else tuple(map(Path, files))
