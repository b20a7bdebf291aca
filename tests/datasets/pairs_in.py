"""The labelled pairs of one file, for tests that read no whole corpus."""

from collections.abc import Iterator
from pathlib import Path

from unslant.datasets.nli.pairs import LabelledPair, everything_in, refusal
from unslant.datasets.nli.text import BadLine


def pairs_in(path: Path, *, skip_bad: bool = False) -> Iterator[LabelledPair]:
    """One pair at a time; a malformed line stops the reading unless ``skip_bad``."""
    for found in everything_in(path):
        if isinstance(found.what, LabelledPair):
            yield found.what
        elif isinstance(found.what, BadLine) and not skip_bad:
            raise refusal(path, found)
