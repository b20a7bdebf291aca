"""A trained inference model on an ELMo: its weights, what acted in the ELMo, and its record."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.files import atomic_write
from unslant.core.record import Facts, flat
from unslant.core.sealed import Header, Kind, sealed
from unslant.models.elmo.folder import NLI
from unslant.models.language.export import new_folder
from unslant.models.language.folder import OPTIONS
from unslant.models.language.interventions import Intervention
from unslant.models.nli.settings import ElmoShape
from unslant.models.nli.trained import Tensors, check_tensors

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel
    from unslant.models.nli.elmo_asking import ElmoInference


KIND = "unslant elmo nli 1"
_FILE = Kind(
    mark=KIND,
    what="inference model on an ELMo",
    foreign="is not an inference model on an ELMo. Train one with: unslant train nli ELMO.",
    remedy="The file may be cut, damaged or from another version; train it again.",
)
_OWN, _ACTING = "nli/", "intervention/"


@dataclass(frozen=True)
class ElmoNli:
    """Weights with the hash of their ELMo, and the erasers used in training."""

    shape: ElmoShape
    tensors: Tensors
    record: Mapping[str, Any]
    elmo_sha256: str
    intervention: Intervention = field(default_factory=lambda: Intervention(()))

    @property
    def facts(self) -> Facts:
        """Its shape and how it was trained, all but the course of the epochs."""
        training = {key: value for key, value in self.record.items() if key != "epochs"}
        return {
            "dev-accuracy": self.record.get("dev_accuracy"),
            "note": self.record.get("note", ""),
            **flat({"shape": self.shape.to_dict(), "training": training}),
        }

    def on(self, model: "ElmoModel") -> "ElmoInference":
        """The model that reads sentences through this ELMo, with the erasers it learnt with."""
        from unslant.models.nli.elmo_asking import ElmoInference

        return ElmoInference(model.intervened(self.intervention), self)

    def check(self, model: "ElmoModel") -> None:
        """Refuse another ELMo than the one it was trained on."""
        found = model.folder.elmo_sha256()
        if found != self.elmo_sha256:
            raise UnslantError(
                f"The inference model was trained on another ELMo than {model.original.name}: the "
                f"SHA-256 of options and weights is {found[:16]}…, not {self.elmo_sha256[:16]}…. "
                f"Use the original files, or train it on this ELMo."
            )

    def save(self, path: str | Path) -> Path:
        """Write it to a sealed safetensors file, completely or not at all."""
        path = Path(path)
        acting, header = self.intervention.stored()
        tensors = {f"{_OWN}{name}": value for name, value in self.tensors.items()}
        tensors |= {f"{_ACTING}{name}": value for name, value in acting.items()}
        facts = {
            "shape": self.shape.to_dict(),
            "record": dict(self.record),
            "intervention": header,
        }
        said = {key: json.dumps(value, allow_nan=False) for key, value in facts.items()}
        with atomic_write(path) as stream:
            stream.write(sealed(tensors, {"kind": KIND, "elmo": self.elmo_sha256, **said}))
        return path


def load_elmo_nli(path: str | Path) -> ElmoNli:
    """The model in a file; other files are refused with a reason."""
    return _FILE.read(Path(path), _understood)


def _understood(tensors: Mapping[str, Any], header: Header) -> ElmoNli:
    own, acting = (
        {name.removeprefix(part): value for name, value in tensors.items() if name.startswith(part)}
        for part in (_OWN, _ACTING)
    )
    shape = ElmoShape(**json.loads(header["shape"]))
    record = json.loads(header["record"])
    if not isinstance(record, dict):
        raise ValueError("its record is not a table")
    check_tensors(shape.tensors(), own)
    intervention = Intervention.from_stored(acting, json.loads(header["intervention"]))
    return ElmoNli(shape, own, record, header["elmo"], intervention)


# An ELMo with its inference model as one folder, which `us.load` and probes read.

RECORD = "training.json"


def write_elmo_nli(model: "ElmoModel", trained: ElmoNli, target: Path) -> Path:
    """Copy the ELMo and its inference model to a new folder, or write nothing."""
    trained.check(model)
    with new_folder(target) as partial:
        for name in (OPTIONS, model.folder.weights.name):
            with model.folder.files.unchanged(name) as source:
                shutil.copyfile(source, partial / name)
        trained.save(partial / NLI)
        load_elmo_nli(partial / NLI)
        said = json.dumps(trained.record, indent=1, allow_nan=False)
        (partial / RECORD).write_text(f"{said}\n", encoding="utf-8")
    return target
