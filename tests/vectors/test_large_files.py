"""A file far larger than the memory allowed is read, cached, debiased and saved in blocks.

The work runs in a process of its own whose private memory (RLIMIT_DATA) the system bounds below
what one copy of the matrix takes, so a step that makes such a copy fails. Files that are mapped
do not count: the system may drop their pages at any time.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.methods.pipeline import fit
from unslant.methods.streaming import save_debiased
from unslant.vectors import load

if TYPE_CHECKING:  # this file also runs as a program, from which the tests cannot be seen
    from tests.tallies import Tally

DIM = 300
MIB = 1 << 20
DISTINCT_ROWS = 2_000
SAID = "the memory is the bound that the system enforced"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux bounds private memory by RLIMIT_DATA"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that does not stay: pytest keeps those of the last runs, and these are large."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def test_loading_and_debiasing_stream(folder: Path) -> None:
    values = write_text(folder / "vectors.txt", 60_000)
    # Streaming takes 40 MiB here, the matrix alone 69 MiB.
    assert run_bounded(folder, "debias", extra=64 * MIB, cores=1) == "done"
    check_sampled_rows(folder, values, 60_000)


@pytest.mark.parametrize("step", ["copy the matrix", "load without cache"])
def test_the_bound_leaves_no_room_for_the_matrix(folder: Path, step: str) -> None:
    write_text(folder / "vectors.txt", 60_000)
    assert run_bounded(folder, step, extra=64 * MIB, cores=1) == "out of memory"


@pytest.mark.full
def test_two_million_words_fit_in_four_gigabytes(folder: Path, tally: "Tally") -> None:
    values = write_text(folder / "vectors.txt", 2_200_000)
    begun = time.monotonic()
    assert run_bounded(folder, "debias", extra=600 * MIB) == "done"
    check_sampled_rows(folder, values, 2_200_000)
    tally(2_200_000, seconds=time.monotonic() - begun, mebibytes=600, said=SAID)


def write_text(path: Path, rows: int) -> NDArray[np.float64]:
    """GloVe text whose row ``i`` is the row ``i % DISTINCT_ROWS`` of the answer."""
    drawn = np.random.default_rng(17).normal(0, 0.4, (DISTINCT_ROWS, DIM))
    fields = [[f"{value:.5g}" for value in row] for row in drawn.tolist()]
    tails = [f" {' '.join(row)}\n" for row in fields]
    with path.open("w", newline="\n") as stream:
        for start in range(0, rows, DISTINCT_ROWS):
            stream.write("".join(f"w{start + i}{tail}" for i, tail in enumerate(tails)))
    return np.array(fields, dtype=np.float64)


def run_bounded(folder: Path, step: str, *, extra: int, cores: int = 0) -> str:
    """Do a step in a process that may take ``extra`` bytes more than it holds at its start."""
    task = {"folder": str(folder), "step": step, "extra": extra, "cores": cores}
    cache = {"UNSLANT_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, __file__, json.dumps(task)],
        env={**os.environ, **cache, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def check_sampled_rows(folder: Path, values: NDArray[np.float64], rows: int) -> None:
    """The saved rows are those of a direct computation in double precision."""
    debiased = load(folder / "debiased.safetensors", cache=False)
    assert len(debiased) == rows
    direction = (values[1] - values[2]) / np.linalg.norm(values[1] - values[2])
    sample = np.random.default_rng(18).choice(rows, 1_000, replace=False)
    sample[:4] = 0, 1, 2, rows - 1
    assert [debiased.words[row] for row in sample.tolist()] == [f"w{row}" for row in sample]
    before = values[sample % DISTINCT_ROWS]
    expected = before - np.outer(before @ direction, direction)
    np.testing.assert_allclose(debiased.matrix[sample], expected, rtol=0, atol=2e-6)


def bounded(folder: Path, step: str, extra: int, cores: int) -> str:
    """What the process does: take what it needs in any case, be bounded, work."""
    import resource

    if cores:  # the number of blocks under way, and so the memory, follows the number of cores
        os.cpu_count = lambda: cores
    gender = concept("gender")
    np.ones((2_000, DIM), np.float32) @ np.ones((DIM, 2), np.float32)  # BLAS takes its buffers
    held = int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (held + extra, held + extra))
    try:
        vectors = load(folder / "vectors.txt", cache=step != "load without cache")
        if step == "copy the matrix":
            np.array(vectors.matrix)
    except (MemoryError, UnslantError) as error:
        return "out of memory" if "memory" in f"{error!r}".lower() else str(error)
    eraser = fit('linear(subspace="pair-difference(w1, w2)")', vectors, gender)
    save_debiased(vectors, eraser, folder / "debiased.safetensors")
    return "done"


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    print(bounded(Path(task.pop("folder")), **task))
