"""A training under way in a file: weights, best weights and the optimiser's memory."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.files import atomic_write
from unslant.models.nli.sealed import Tensors, sealed, unsealed

_KIND = "unslant nli checkpoint 1"


@dataclass(frozen=True)
class Progressed:
    """Where a training stands after a whole number of epochs."""

    steps: int
    epochs: list[dict[str, float]]
    tensors: Tensors


@dataclass(frozen=True)
class Checkpoint:
    """The file of one training; ``identity`` is everything that its weights depend on."""

    path: Path
    identity: Mapping[str, Any]

    @property
    def _key(self) -> str:
        plain = json.dumps(self.identity, sort_keys=True)
        return hashlib.sha256(plain.encode()).hexdigest()

    def read(self) -> Progressed | None:
        """Where the training stands; None where it has not begun."""
        if not self.path.exists():
            return None
        try:
            tensors, header = unsealed(self.path)
            if header.get("kind") != _KIND:
                raise UnslantError(
                    f"{self.path} is in the way: it is not a checkpoint. Move it, or name "
                    f"another output."
                )
            if header["key"] != self._key:
                raise UnslantError(
                    f"{self.path} belongs to a training with other vectors, data or settings. "
                    f"Remove it to begin anew, or repeat that training's command to finish it."
                )
            return Progressed(int(header["steps"]), json.loads(header["epochs"]), tensors)
        except (SafetensorError, OSError, ValueError, KeyError) as error:
            raise DamagedFileError(
                f"{self.path} is not a whole checkpoint ({error}). Remove it to begin anew."
            ) from error

    def write(self, state: Progressed) -> None:
        """Keep where the training stands, whole or not at all."""
        header = {
            "kind": _KIND,
            "key": self._key,
            "steps": str(state.steps),
            "epochs": json.dumps(state.epochs),
        }
        with atomic_write(self.path) as stream:
            stream.write(sealed(state.tensors, header))

    def remove(self) -> None:
        """The training is over."""
        self.path.unlink(missing_ok=True)
