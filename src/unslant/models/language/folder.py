"""A folder with a model: what may be read from it, and refused before anything is.

Configurations are claims. They are read as bounded JSON, never as code, and compared with the
header of the weights, which says how large every array is, before any array is allocated.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError, UnslantError
from unslant.models.language.opened import FolderFiles

CONFIG = "config.json"
OPTIONS = "options.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
MODULES = "modules.json"
_ALSO_HASHED = (
    CONFIG,
    TOKENIZER,
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "tokenizer.model",
    "added_tokens.json",
    MODULES,
    "sentence_bert_config.json",
)
TOKENIZER_PARTS = (
    CONFIG,
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
    "sentencepiece.bpe.model",
    "added_tokens.json",
    "special_tokens_map.json",
)
"""The files that define a tokenizer without tokenizer.json; no others are read."""
_LARGEST_HEADER = 25 << 20
_UNSAFE = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx")
_BYTES = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 2),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2"), 1),
}

Shape = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """A model's files: its configuration as plain values, and the shape of every stored array."""

    path: Path
    config: Mapping[str, Any]
    weights: tuple[Path, ...]
    shapes: Mapping[str, Shape]
    files: FolderFiles
    parts: tuple[str, ...]
    """The other files that say how the weights are used. No file that is not named here is read."""
    called: str = ""
    """What to call the model if not by its folder: a tuned one is called by its lineage."""

    @property
    def name(self) -> str:
        """The model's name in records and messages."""
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

    def labels(self) -> tuple[str, ...]:
        """The labels of a head's outputs, in order; empty if the configuration has none."""
        named = self.config.get("id2label")
        known = named if isinstance(named, dict) else {}
        names = tuple(str(known.get(str(number), "")) for number in range(len(known)))
        if not all(names):
            raise DamagedFileError(
                f'{self.path / CONFIG}: "id2label" must name the outputs 0 to {len(known) - 1}.'
            )
        return names

    def json(self, name: str) -> Mapping[str, Any]:
        """Another JSON file in the folder; empty if it did not exist when the model was loaded."""
        return self.files.json_object(name) if name in self.parts else {}

    def module_folders(self) -> list[str]:
        """The folders inside this one that its modules.json names, for sentence-transformers."""
        return _module_folders(self.files) if MODULES in self.parts else []

    def sha256(self) -> str:
        """A hash of the weights and of everything that says how they are used."""
        digest = hashlib.sha256(b"unslant model 1\n")
        for name in (*(file.name for file in self.weights), *self.parts):
            digest.update(f"{name} {self.files.sha256(name)}\n".encode())
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
    files = FolderFiles(folder)
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is not a folder with a model.")
    if CONFIG not in files:
        raise FileFormatError(
            f"{folder} has no {CONFIG}, so it is not a model that transformers saved. Expected "
            f"{CONFIG}, {WEIGHTS} and {TOKENIZER}."
        )
    config = files.json_object(CONFIG)
    if config.get("auto_map"):
        raise UnsafeFileError(
            f"{folder / CONFIG} asks for code of its own (auto_map). Unslant never runs code from "
            f"a model folder; use a model whose architecture transformers has."
        )
    if not isinstance(config.get("model_type"), str):
        raise FileFormatError(f'{folder / CONFIG} does not name its architecture ("model_type").')
    weights, shapes = _weights(files)
    return ModelFolder(
        path=folder,
        config=config,
        weights=tuple(folder / name for name in weights),
        shapes=shapes,
        files=files,
        parts=_parts(files),
    )


def _parts(files: FolderFiles) -> tuple[str, ...]:
    names = [*_ALSO_HASHED]
    if MODULES in files:
        inside = sorted(_module_folders(files))
        names += [f"{folder}/{name}" for folder in inside for name in (CONFIG, WEIGHTS)]
    if TOKENIZER not in files:
        names += [name for name in TOKENIZER_PARTS if name not in names]
    if WEIGHTS not in files:
        names.append(INDEX)
    return tuple(name for name in names if name in files)


def _module_folders(files: FolderFiles) -> list[str]:
    named = [str(item.get("path") or "") for item in json_list(files) if isinstance(item, dict)]
    return [name for name in named if name and Path(name).name == name and name[0] != "."]


def json_list(files: FolderFiles) -> list[Any]:
    """The modules of a sentence-transformers folder as its modules.json has them."""
    read = files.json(MODULES)
    if not isinstance(read, list):
        raise DamagedFileError(
            f"{files.path / MODULES} must hold a JSON array, not a {type(read).__name__}."
        )
    return read


def refuse_strange_entries(folder: Path) -> None:
    """Refuse a folder with any file that must not be opened, for loaders that open all of them."""
    files = FolderFiles(folder)
    for entry in folder.rglob("*"):
        name = entry.relative_to(folder).as_posix()
        (files.inside if entry.is_dir() else files.checked)(name)


def _weights(files: FolderFiles) -> tuple[tuple[str, ...], dict[str, Shape]]:
    """The names of the files of weights, and the shapes of the arrays in them."""
    if WEIGHTS in files:
        return (WEIGHTS,), _shapes(files, WEIGHTS)
    if INDEX in files and (index := _index(files)):
        return tuple(sorted(set(index.values()))), _sharded_shapes(files, index)
    folder = files.path
    unsafe = [path.name for path in sorted(folder.iterdir()) if path.suffix in _UNSAFE]
    if unsafe:
        raise UnsafeFileError(
            f"{folder} holds its weights only as {unsafe[0]}, a format that can run code or that "
            f"cannot be checked. Convert it where you trust it, then load the new folder: "
            f"python -c \"from transformers import AutoModel as M; M.from_pretrained('{folder}')"
            f".save_pretrained('{folder.name}-safe')\""
        )
    raise FileFormatError(f"{folder} has no {WEIGHTS}. Copy the weights into the folder.")


def _index(files: FolderFiles) -> dict[str, str]:
    """Which file each array is in, by the index of the shards."""
    index = files.json_object(INDEX).get("weight_map", {})
    if not isinstance(index, dict) or not all(isinstance(name, str) for name in index.values()):
        raise DamagedFileError(
            f'{files.path / INDEX}: "weight_map" must name a file for each array. Copy the model '
            f"again with all of its files."
        )
    for name in sorted(set(index.values())):
        if Path(name).name != name or name not in files:
            raise DamagedFileError(
                f"{files.path / INDEX} names {name[:60]}, which is not in the folder. Copy the "
                f"model again with all of its files."
            )
    return index


def _sharded_shapes(files: FolderFiles, index: Mapping[str, str]) -> dict[str, Shape]:
    """The shapes in all shards, each of which must have exactly the arrays of the index."""
    shapes: dict[str, Shape] = {}
    for shard in sorted(set(index.values())):
        stored = _shapes(files, shard)
        named = {array for array, name in index.items() if name == shard}
        for array in sorted(named ^ stored.keys()):
            there, other = ("names", "has not") if array in named else ("does not name", "has")
            raise DamagedFileError(
                f"{files.path / INDEX} {there} {array[:60]} in {shard}, which {other} such an "
                f"array. Copy the model again with all of its files."
            )
        shapes.update(stored)
    return shapes


def _shapes(files: FolderFiles, name: str) -> dict[str, Shape]:
    """The shapes in the header of a safetensors file, which must account for every byte of it."""
    with files.unchanged(name) as file, files.opened(name) as stream:
        size = os.fstat(stream.fileno()).st_size
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
        for array, facts in header.items():
            shape = tuple(int(n) for n in facts["shape"])
            first, last = facts["data_offsets"]
            if min(shape, default=0) < 0 or not 0 <= first <= last <= size - 8 - length:
                raise ValueError
            if last - first != _BYTES[facts["dtype"]] * prod(shape):
                raise ValueError
            shapes[array], end = shape, max(end, last)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise _cut(file) from error
    if end != size - 8 - length or not shapes:
        raise _cut(file)
    return shapes


def _cut(file: Path) -> UnslantError:
    return DamagedFileError(
        f"{file} is not a whole safetensors file: its header and its size disagree. Copy or "
        f"download it again."
    )


# Models by the name they have on the Hugging Face hub, if they were downloaded before.

_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?\Z")


def found_locally(path: str | Path) -> Path:
    """The folder at a path, or of a model in the Hugging Face cache; nothing is downloaded."""
    folder = Path(path)
    if folder.exists():
        return folder
    name = str(path)
    if _NAME.match(name) and not name.startswith("."):
        snapshot = _snapshot(name)
        if snapshot is not None:
            return snapshot
        raise FileFormatError(
            f"{name} is neither a folder nor a model in the Hugging Face cache. Download it first: "
            f"hf download {name}"
        )
    raise FileFormatError(f"{path} does not exist.")


def looks_like_hub_name(text: str) -> bool:
    """Whether a text is the name of a model in the Hugging Face cache."""
    return bool(_NAME.match(text)) and _snapshot(text) is not None


def _snapshot(name: str) -> Path | None:
    """The newest downloaded state of a model; the main branch's if it is known."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    hub = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    base = hub / f"models--{name.replace('/', '--')}"
    main = base / "refs" / "main"
    if main.is_file() and main.stat().st_size < 200:
        chosen = base / "snapshots" / main.read_text(encoding="utf-8").strip()
        if chosen.is_dir() and chosen.parent == base / "snapshots":
            return chosen
    return None
