"""A trained inference model: its shape, its weights and the record of how it came about."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import OutputError, UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import atomic_write, sha256_of_file, write_text
from unslant.core.record import Facts, flat
from unslant.core.sealed import Kind, sealed
from unslant.models.nli.attention import DecomposableAttention
from unslant.models.nli.batches import Embedding
from unslant.models.nli.settings import Shape
from unslant.predictors.protocols import GridModel
from unslant.vectors import WordVectors

KIND = "unslant nli model 1"
BUILTIN_MODEL = "snli-glove-100d"
"""The model that comes with the package, for vectors made from GloVe 6B 100d."""

Tensors = Mapping[str, NDArray[np.float32]]

_FILE = Kind(
    mark=KIND,
    what="model",
    foreign="is not a trained inference model. Train one with: unslant train nli.",
    remedy="The file may be cut, damaged or from another version; train it again.",
)


@dataclass(frozen=True)
class TrainedNli:
    """Weights without the vectors: they read any vectors of their dimension."""

    name: str
    shape: Shape
    tensors: Tensors
    record: Mapping[str, Any]
    sha256: str = ""

    @property
    def facts(self) -> Facts:
        """Its shape and how it was trained, all but the course of the epochs."""
        training = {key: value for key, value in self.record.items() if key != "epochs"}
        return {
            "dev-accuracy": self.record.get("dev_accuracy"),
            "trained-on": self.record.get("vectors", {}).get("name"),
            "note": self.record.get("note", ""),
            **flat({"shape": self.shape.to_dict(), "training": training}),
        }

    def on(self, vectors: WordVectors) -> GridModel:
        """The model that reads sentences through these vectors."""
        if vectors.dim != self.shape.dim:
            raise UnslantError(
                f"The model {self.name} reads vectors of {self.shape.dim} dimensions and "
                f"{vectors.name} has {vectors.dim}; train one for it with: unslant train nli "
                f"FILE --data FOLDER."
            )
        embedding = Embedding(vectors)
        if not self.shape.reads_context:
            return DecomposableAttention(self.tensors, embedding)
        torch_for("A model that reads context")
        from unslant.models.nli.contextual import ContextualAttention

        return ContextualAttention(self.shape, self.tensors, embedding)

    def save(self, path: str | Path) -> Path:
        """Write the weights (safetensors) and, next to them, a readable record (JSON)."""
        path = Path(path)
        if path.suffix != ".safetensors":
            raise OutputError(f"{path}: a model is written as .safetensors.")
        facts = {"shape": self.shape.to_dict(), "record": dict(self.record)}
        header = {"kind": KIND, **{key: json.dumps(value) for key, value in facts.items()}}
        with atomic_write(path) as stream:
            stream.write(sealed(self.tensors, header))
        write_text(path.with_suffix(".json"), json.dumps(facts, indent=1, allow_nan=False) + "\n")
        return path


def load_nli(path: str | Path) -> TrainedNli:
    """The model in a file; other files are refused with a reason."""
    path = Path(path)

    def understood(tensors: Tensors, header: Mapping[str, str]) -> TrainedNli:
        shape = Shape(**json.loads(header["shape"]))
        record = json.loads(header["record"])
        if not isinstance(record, dict) or not isinstance(record.get("vectors", {}), dict):
            raise ValueError("its record is not a table")
        check_tensors(shape.tensors(), tensors)
        return TrainedNli(path.stem, shape, tensors, record, sha256_of_file(path))

    return _FILE.read(path, understood)


@cache
def builtin_nli() -> TrainedNli:
    """The model in the package: decomposable attention, trained on SNLI (CC-BY-SA 4.0)."""
    with as_file(files("unslant.models.nli") / "data" / f"{BUILTIN_MODEL}.safetensors") as path:
        return load_nli(path)


def check_tensors(wanted: Mapping[str, tuple[int, ...]], tensors: Tensors) -> None:
    """Refuse weights of other names, shapes or types, and numbers that are not finite."""
    if wanted.keys() != tensors.keys():
        odd = sorted(wanted.keys() ^ tensors.keys())
        raise ValueError(f"weights are missing or unknown: {', '.join(odd[:3])}")
    for name, tensor in tensors.items():
        if tensor.shape != wanted[name]:
            raise ValueError(f"{name} is {tensor.shape} and should be {wanted[name]}")
        if tensor.dtype != np.float32 or not np.isfinite(tensor).all():
            raise ValueError(f"{name} does not hold finite float32 numbers")
