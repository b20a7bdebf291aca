"""A folder with an ELMo: its options and its weights, as they were released."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.models.elmo.hdf5 import check
from unslant.models.elmo.options import ElmoOptions, read_options
from unslant.models.elmo.weights import stored_arrays, too_many
from unslant.models.language.folder import OPTIONS
from unslant.models.language.opened import FolderFiles

NLI = "nli.safetensors"
"""The file in an ELMo's folder with the inference model that was trained on it."""


@dataclass(frozen=True, kw_only=True)
class ElmoFolder:
    """An ELMo's files; the headers of the weights agree with the options."""

    path: Path
    weights: Path
    options: ElmoOptions
    files: FolderFiles

    @property
    def name(self) -> str:
        """What records and messages call the model."""
        return self.path.resolve().name

    @property
    def nli(self) -> Path | None:
        """The file of the inference model that was trained on it, if there is one."""
        return self.files.checked(NLI) if NLI in self.files else None

    def sha256(self) -> str:
        """A hash of the options and the weights, and of the inference model if there is one."""
        if self.nli is None:
            return self.elmo_sha256()
        both = f"{self.elmo_sha256()}\n{self.files.sha256(NLI)}"
        return hashlib.sha256(both.encode()).hexdigest()

    def elmo_sha256(self) -> str:
        """A hash of the options and of the weights."""
        digest = hashlib.sha256(b"unslant elmo 1\n")
        for name in (OPTIONS, self.weights.name):
            digest.update(f"{self.files.sha256(name)}\n".encode())
        return digest.hexdigest()


def read_elmo_folder(path: Path) -> ElmoFolder:
    """The folder at a path, with its options and the header of its weights checked."""
    files = FolderFiles(path)
    options = read_options(files)
    weights = _weights(path)
    shapes = {item.name: item.shape for item in stored_arrays(options)}
    with files.unchanged(weights.name):
        check(weights, shapes, too_many(options))
    return ElmoFolder(path=path, weights=weights, options=options, files=files)


def _weights(folder: Path) -> Path:
    """The one HDF5 file, or the one that is called weights if there are several."""
    files = sorted(folder.glob("*.hdf5"))
    named = [file for file in files if file.stem.endswith("weights")]
    chosen = named or files
    if len(chosen) != 1:
        found = ", ".join(file.name for file in chosen[:5]) or "none"
        raise FileFormatError(
            f"{folder} must hold one file of weights, such as weights.hdf5, beside options.json. "
            f"Found {found}."
        )
    return chosen[0]
