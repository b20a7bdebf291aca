"""The checkpoint of a training: weights, best weights and the optimiser's state."""

import json
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.core.files import atomic_write
from unslant.core.sealed import Header, Kind, Tensors, sealed
from unslant.core.text_files import json_from

_KIND = Kind(
    mark="unslant checkpoint 1",
    what="checkpoint",
    foreign="is in the way: it is not a checkpoint. Move it, or name another output.",
    remedy="Remove it to begin anew.",
)


@dataclass(frozen=True)
class Progressed:
    """The state of a training after a whole number of rounds."""

    steps: int
    rounds: list[dict[str, float]]
    tensors: Tensors


@dataclass(frozen=True)
class Checkpoint:
    """The file of one training; ``identity`` is a hash of all that its weights depend on."""

    path: Path
    identity: str

    def read(self) -> Progressed | None:
        """The saved state of the training; None if it has not begun."""
        if not self.path.exists():
            return None
        identity, progressed = _KIND.read(self.path, _understood)
        if identity != self.identity:
            raise UnslantError(
                f"{self.path} belongs to a training with other inputs, data or settings. "
                f"Remove it to begin anew, or repeat that training's command to finish it."
            )
        return progressed

    def write(self, state: Progressed) -> None:
        """Save the state of the training atomically."""
        header = {
            "kind": _KIND.mark,
            "key": self.identity,
            "steps": str(state.steps),
            "rounds": json.dumps(state.rounds),
        }
        with atomic_write(self.path) as stream:
            stream.write(sealed(state.tensors, header))


def _understood(tensors: Tensors, header: Header) -> tuple[str, Progressed]:
    rounds = json_from(header["rounds"])
    if not isinstance(rounds, list) or not all(isinstance(one, dict) for one in rounds):
        raise TypeError("its rounds are not a list of tables")
    steps = int(header["steps"])
    if steps < 0:
        raise ValueError(f"it has done {steps} steps")
    return header["key"], Progressed(steps, rounds, tensors)
