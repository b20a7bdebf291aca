"""The real sets of sentence pairs: their counts, and the one line that is wrong."""

from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError
from unslant.datasets.nli import read_corpus


def test_the_real_snli_files_have_the_known_counts(data: Path) -> None:
    ticks: list[tuple[str, int, int]] = []
    train, dev, test = read_corpus(data / "nli" / "snli", progress=lambda *args: ticks.append(args))
    assert test is None
    assert (len(train), len(dev)) == (116_149, 9_842)
    record = train.record
    assert (record["read"], record["unlabelled"], record["in_held_out_data"]) == (120_000, 110, 0)
    assert record["repeated"] == 120_000 - 110 - 116_149
    assert np.bincount(dev.labels).tolist() == [3329, 3235, 3278]
    assert dev.tokens(1)[1] == ["two", "woman", "are", "holding", "packages", "."]
    assert len(set(train.vocabulary)) == len(train.vocabulary)
    assert train.premises.ids.max() < len(train.vocabulary)
    amounts = [done for _, done, _ in ticks]
    assert amounts == sorted(amounts)
    assert amounts[-1] == ticks[-1][2]


@pytest.mark.parametrize(
    ("folder", "skip_bad", "counts"),
    [("cad", False, (8330, 1000)), ("sick", False, (4500, 500)), ("mpe", True, (8000, 999))],
)
def test_the_other_real_sets_are_read_whole(
    data: Path, folder: str, skip_bad: bool, counts: tuple[int, int]
) -> None:
    train, dev, _ = read_corpus(data / "nli" / folder, skip_bad=skip_bad)
    assert (train.record["read"], dev.record["read"]) == counts


def test_the_line_of_the_real_mpe_set_that_lacks_a_tab_is_named(data: Path) -> None:
    with pytest.raises(DamagedFileError, match=r"mpe_dev\.txt line 468: 9 columns, expected 10"):
        read_corpus(data / "nli" / "mpe")
