"""Damaged files of an ELMo: refused in one sentence, never a crash or a hang."""

import random
from pathlib import Path
from typing import Any

import numpy as np

from tests.models.elmo.asking import refusal_if_any
from tests.tallies import Tally

MUTANTS = 100


def data_of(path: Path) -> np.ndarray[Any, Any]:
    """Which bytes of an HDF5 file are numbers of arrays."""
    import h5py

    is_data = np.zeros(path.stat().st_size, dtype=bool)

    def mark(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            start = item.id.get_offset()
            is_data[start : start + item.id.get_storage_size()] = True

    with h5py.File(path, "r") as file:
        file.visititems(mark)
    return is_data


def test_damaged_weights_are_refused_or_finite(
    made_folder: Path, tmp_path: Path, tally: Tally
) -> None:
    """Half of the mutants are in what describes the arrays, where damage does most."""
    draw = random.Random(28)
    original = (made_folder / "weights.hdf5").read_bytes()
    described = np.flatnonzero(~data_of(made_folder / "weights.hdf5")).tolist()
    options = (made_folder / "options.json").read_bytes()
    refused = 0
    for number in range(MUTANTS):
        content = bytearray(original)
        for _ in range(draw.randint(1, 8)):
            at = draw.choice(described) if number % 2 else draw.randrange(len(content))
            content[at] ^= 1 << draw.randrange(8)
        if number % 5 == 0:
            content = content[: draw.randrange(len(content))]
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "options.json").write_bytes(options)
        (folder / "weights.hdf5").write_bytes(content)
        refused += bool(refusal_if_any(folder))
    assert refused >= MUTANTS // 4  # the fifth that is cut off, and more
    tally(MUTANTS)


def test_damaged_options_are_refused_or_finite(
    made_folder: Path, tmp_path: Path, tally: Tally
) -> None:
    draw = random.Random(29)
    original = (made_folder / "options.json").read_bytes()
    (tmp_path / "weights.hdf5").write_bytes((made_folder / "weights.hdf5").read_bytes())
    refused = 0
    for number in range(MUTANTS):
        content = bytearray(original)
        for _ in range(draw.randint(1, 4)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        if number % 5 == 0:
            content = content[: draw.randrange(len(content))]
        (tmp_path / "options.json").write_bytes(content)
        refused += bool(refusal_if_any(tmp_path))
    assert refused > MUTANTS // 2
    tally(MUTANTS)
