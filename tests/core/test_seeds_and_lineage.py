import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage, name_of_file
from unslant.core.seeds import generator


def test_a_stream_depends_on_seed_and_purpose_only() -> None:
    def first(seed: int, *purpose: str) -> float:
        return float(generator(seed, *purpose).random())

    assert first(0, "weat", "a") == first(0, "weat", "a")
    different = {first(0, "weat", "a"), first(1, "weat", "a"), first(0, "weat", "b"), first(0)}
    assert len(different) == 4
    assert first(0, "ab", "c") != first(0, "a", "bc")


def test_a_stream_does_not_depend_on_the_hash_seed() -> None:
    code = "from unslant.core.seeds import generator; print(generator(7, 'x').random())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("seed", [-1, -(10**30), 1.5, None, "1"])
def test_a_seed_that_cannot_be_is_refused(seed: Any) -> None:
    with pytest.raises(UnslantError) as caught:
        generator(seed, "x")
    assert str(caught.value) == f"The seed must be an integer of at least 0. Got {seed} instead."


def test_the_integers_of_numpy_are_seeds_and_so_are_large_ones() -> None:
    assert generator(int(np.int64(7)), "x").random() == generator(np.int64(7), "x").random()  # type: ignore[arg-type]
    assert generator(10**30, "x").random() != generator(0, "x").random()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("glove.6B.300d.txt", "glove.6B.300d"),
        ("wiki.vec.gz", "wiki"),
        ("GoogleNews.BIN", "GoogleNews"),
        (".txt", "vectors"),
    ],
)
def test_a_name_drops_what_says_only_how_it_is_stored(file: str, name: str) -> None:
    assert name_of_file(file) == name


def test_a_lineage_reads_like_the_pipeline() -> None:
    assert str(Lineage("glove").then("hard").then("misp(k=4)")) == "glove.hard.misp(k=4)"
