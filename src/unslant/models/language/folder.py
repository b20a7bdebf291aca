"""A folder with a model: what may be read from it, and refused before anything is.

Configurations are claims. They are read as bounded JSON, never as code, and compared with the
header of the weights, which says how large every array is, before any array is allocated.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError, UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.text_files import json_from, small_text

CONFIG = "config.json"
OPTIONS = "options.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
LARGEST_JSON = 64 << 20
"""Tokenizers of large vocabularies take about 20 MB."""
_ALSO_HASHED = (
    CONFIG,
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "tokenizer.model",
    "added_tokens.json",
    "modules.json",
    "sentence_bert_config.json",
)
_LARGEST_HEADER = 100 << 20
_UNSAFE = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx")
_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1}

Shape = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """A model's files: its configuration as plain values, and the shape of every stored array."""

    path: Path
    config: Mapping[str, Any]
    weights: tuple[Path, ...]
    shapes: Mapping[str, Shape]
    called: str = ""
    """What to call the model if not by its folder: a tuned one is called by its lineage."""

    @property
    def name(self) -> str:
        """What records and messages call the model."""
        if self.called:
            return self.called
        folder = self.path.resolve()
        if folder.parent.name == "snapshots":  # in the Hugging Face cache
            return folder.parent.parent.name.rpartition("--")[2]
        return folder.name

    @property
    def kind(self) -> str:
        """The architecture that the configuration names."""
        return str(self.config["model_type"])

    def json(self, name: str) -> Mapping[str, Any]:
        """Another JSON file in the folder; empty if it does not exist."""
        path = self.path / name
        return _json(path) if path.exists() else {}

    def module_folders(self) -> list[str]:
        """The folders inside this one that its modules.json names, for sentence-transformers."""
        path = self.path / "modules.json"
        entries = json_list(path) if path.exists() else []
        named = [str(entry.get("path") or "") for entry in entries if isinstance(entry, dict)]
        return [name for name in named if name and Path(name).name == name and name[0] != "."]

    def sha256(self) -> str:
        """A hash of the weights and of everything that says how they are used."""
        digest = hashlib.sha256(b"unslant model 1\n")
        parts = [path for name in self.module_folders() for path in (self.path / name).glob("*")]
        others = [*(self.path / name for name in _ALSO_HASHED), *sorted(parts)]
        for path in (*self.weights, *(path for path in others if path.is_file())):
            inside = path.relative_to(self.path).as_posix()
            digest.update(f"{inside} {sha256_of_file(path)}\n".encode())
        return digest.hexdigest()


def is_model_folder(path: str | Path) -> bool:
    """Whether a path is a folder that claims to hold a language model."""
    folder = Path(path)
    return folder.is_dir() and any((folder / name).exists() for name in (CONFIG, OPTIONS))


def is_elmo_folder(folder: Path) -> bool:
    """Whether a folder claims to hold an ELMo as it was released."""
    return (folder / OPTIONS).exists() and not (folder / CONFIG).exists()


def read_folder(path: str | Path) -> ModelFolder:
    """The folder at a path, with its configuration and the header of its weights checked."""
    folder = Path(path)
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is not a folder with a model.")
    if not (folder / CONFIG).exists():
        raise FileFormatError(
            f"{folder} has no {CONFIG}, so it is not a model that transformers saved. Expected "
            f"{CONFIG}, {WEIGHTS} and tokenizer.json."
        )
    refuse_strange_entries(folder)
    config = _json(folder / CONFIG)
    if config.get("auto_map"):
        raise UnsafeFileError(
            f"{folder / CONFIG} asks for code of its own (auto_map). Unslant never runs code from "
            f"a model folder; use a model whose architecture transformers has."
        )
    if not isinstance(config.get("model_type"), str):
        raise FileFormatError(f'{folder / CONFIG} does not name its architecture ("model_type").')
    files = _weight_files(folder)
    shapes: dict[str, Shape] = {}
    for file in files:
        shapes.update(_shapes(file))
    return ModelFolder(path=folder, config=config, weights=files, shapes=shapes)


def refuse_strange_entries(folder: Path) -> None:
    """Refuse a folder with devices, or with links that lead out of it."""
    for entry in (folder, *sorted(folder.rglob("*"))[:1_000]):
        _refuse_strange(entry, folder)


def _refuse_strange(entry: Path, folder: Path) -> None:
    """Refuse devices, and links that lead elsewhere than into the Hugging Face cache."""
    if entry.is_symlink():
        target = entry.resolve()
        inside = folder.resolve()
        blobs = inside.parent.parent / "blobs"
        if target.is_relative_to(inside) or target.is_relative_to(blobs):
            return
        raise UnsafeFileError(f"{entry} is a link that leads out of the model's folder.")
    if entry.exists() and not (entry.is_file() or entry.is_dir()):
        raise UnsafeFileError(f"{entry} is a device or a pipe, not a file of a model.")


def _weight_files(folder: Path) -> tuple[Path, ...]:
    if (folder / WEIGHTS).exists():
        return (folder / WEIGHTS,)
    if (folder / INDEX).exists():
        named = _json(folder / INDEX).get("weight_map", {})
        names = sorted({str(name) for name in dict(named).values()})
        files = tuple(folder / name for name in names)
        for name, file in zip(names, files, strict=True):
            if Path(name).name != name or not file.is_file():
                raise DamagedFileError(
                    f"{folder / INDEX} names {name}, which is not in the folder. Copy the model "
                    f"again with all of its files."
                )
        if files:
            return files
    unsafe = [path.name for path in sorted(folder.iterdir()) if path.suffix in _UNSAFE]
    if unsafe:
        raise UnsafeFileError(
            f"{folder} holds its weights only as {unsafe[0]}, a format that can run code or that "
            f"cannot be checked. Convert it where you trust it, then load the new folder: "
            f"python -c \"from transformers import AutoModel as M; M.from_pretrained('{folder}')"
            f".save_pretrained('{folder.name}-safe')\""
        )
    raise FileFormatError(f"{folder} has no {WEIGHTS}. Copy the weights into the folder.")


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json_from(small_text(path, LARGEST_JSON))
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read: {error}.") from error
    if not isinstance(read, dict):
        raise DamagedFileError(f"{path} must hold a JSON object, not a {type(read).__name__}.")
    return read


def json_list(path: Path) -> list[Any]:
    """The array in a JSON file of a folder."""
    try:
        read = json_from(small_text(path, LARGEST_JSON))
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read: {error}.") from error
    if not isinstance(read, list):
        raise DamagedFileError(f"{path} must hold a JSON array, not a {type(read).__name__}.")
    return read


def _shapes(file: Path) -> dict[str, Shape]:
    """The shapes in the header of a safetensors file, which must account for every byte of it."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > min(size - 8, _LARGEST_HEADER):
            raise _cut(file)
        try:
            header = json.loads(stream.read(length))
        except (ValueError, RecursionError) as error:
            raise _cut(file) from error
    shapes: dict[str, Shape] = {}
    end = 0
    try:
        header.pop("__metadata__", None)
        for name, facts in header.items():
            shape = tuple(int(n) for n in facts["shape"])
            first, last = facts["data_offsets"]
            count = _BYTES[facts["dtype"]]
            for n in shape:
                if n < 0:
                    raise ValueError
                count *= n
            if not 0 <= first <= last <= size - 8 - length or last - first != count:
                raise ValueError
            shapes[name], end = shape, max(end, last)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _cut(file) from error
    if end != size - 8 - length or not shapes:
        raise _cut(file)
    return shapes


def _cut(file: Path) -> UnslantError:
    return DamagedFileError(
        f"{file} is not a whole safetensors file: its header and its size disagree. Copy or "
        f"download it again."
    )
