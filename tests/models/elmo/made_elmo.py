"""Small random ELMos in the official layout, written as the official code writes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.float32]]

OPTIONS: Mapping[str, Any] = {
    "lstm": {
        "cell_clip": 0.7,
        "proj_clip": 0.4,
        "use_skip_connections": True,
        "n_layers": 2,
        "projection_dim": 6,
        "dim": 11,
    },
    "char_cnn": {
        "embedding": {"dim": 4},
        "filters": [[1, 3], [2, 5], [4, 7]],
        "n_highway": 2,
        "n_characters": 262,
        "max_characters_per_token": 12,
        "activation": "relu",
    },
}
"""Limits so low that they are met all the time."""


def random_arrays(options: Mapping[str, Any], seed: int = 3) -> Arrays:
    """Random weights, with the names and shapes of the released files."""
    lstm, cnn = options["lstm"], options["char_cnn"]
    cells, width, letters = lstm["dim"], lstm["projection_dim"], cnn["embedding"]["dim"]
    wide = sum(count for _, count in cnn["filters"])
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (261, letters)}
    for number, (size, count) in enumerate(cnn["filters"]):
        shapes[f"CNN/W_cnn_{number}"] = (1, size, letters, count)
        shapes[f"CNN/b_cnn_{number}"] = (count,)
    for number in range(cnn["n_highway"]):
        for name in ("carry", "transform"):
            shapes[f"CNN_high_{number}/W_{name}"] = (wide, wide)
            shapes[f"CNN_high_{number}/b_{name}"] = (wide,)
    shapes |= {"CNN_proj/W_proj": (wide, width), "CNN_proj/b_proj": (width,)}
    for way in (0, 1):
        for layer in range(lstm["n_layers"]):
            cell = f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes[f"{cell}/W_0"] = (2 * width, 4 * cells)
            shapes[f"{cell}/B"] = (4 * cells,)
            shapes[f"{cell}/W_P_0"] = (cells, width)
    draw = np.random.default_rng(seed)
    return {name: draw.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def write_elmo(folder: Path, options: Mapping[str, Any], arrays: Arrays) -> None:
    """A folder with options.json and weights.hdf5."""
    import h5py

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "options.json").write_text(json.dumps(options), encoding="utf-8")
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array)


def stored_arrays_of(path: Path) -> Arrays:
    """Every array of an HDF5 file by its name."""
    import h5py

    found: Arrays = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[...]

    with h5py.File(path, "r") as file:
        file.visititems(keep)
    return found
