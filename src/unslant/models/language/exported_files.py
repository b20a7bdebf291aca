"""The files of an exported model: copied if known, written if changed, and the model card."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import DamagedFileError, OutputError
from unslant.core.text_files import decoded
from unslant.core.version import __version__
from unslant.erasers.transform import Affine
from unslant.models.language.folder import CONFIG, INDEX, MODULES, WEIGHTS, ModelFolder, json_list
from unslant.models.language.folding import Folded
from unslant.models.language.opened import FolderFiles

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel
    from unslant.models.language.model import TransformerModel


# The files of an exported model: known ones are copied, changed ones are written.

_OF_SENTENCES = ("config_sentence_transformers.json", "sentence_bert_config.json", MODULES)
"""Files that say how sentence-transformers makes one vector of a text."""
_KNOWN = (
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
    "sentencepiece.bpe.model",
    "chat_template.jinja",
    "tuning.json",
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
)
_IN_MODULES = (CONFIG, WEIGHTS)
_DENSE = "sentence_transformers.models.Dense"


def copy_original(folder: ModelFolder, target: Path) -> None:
    """Copy the model as it is; files that no known loader reads stay behind."""
    copy_known(folder, target)
    for name in (CONFIG, INDEX, *(file.name for file in folder.weights)):
        _copy(folder, name, target)


def copy_known(folder: ModelFolder, target: Path) -> None:
    """Copy everything but the configuration, the weights and the model card."""
    copy_tokenizer(folder, target)
    for name in _OF_SENTENCES:
        _copy(folder, name, target)
    for inside in folder.module_folders():
        for name in _IN_MODULES:
            _copy(folder, f"{inside}/{name}", target)


def copy_tokenizer(folder: ModelFolder, target: Path) -> None:
    """Copy the tokenizer, the licence and how text is generated."""
    for name in _KNOWN:
        _copy(folder, name, target)


def write_folded(model: "TransformerModel", result: Folded, target: Path) -> None:
    """Write the model with its erasers in its weights and, for sentence vectors, in new modules."""
    copy_known(model.folder, target)
    write_json(target / CONFIG, result.config)
    write_arrays(target / WEIGHTS, result.arrays)
    if result.pooled is not None:
        _insert(target, result.pooled, after="Pooling")
    if result.sentence is not None:
        _insert(target, result.sentence, after="Dense")


def _insert(target: Path, affine: Affine, *, after: str) -> None:
    """Add a Dense module after the pooling, or after all Dense modules, and before Normalize."""
    path = target / MODULES
    entries = json_list(FolderFiles(target))
    kinds = [str(entry["type"]).rsplit(".", 1)[-1] for entry in entries]
    after = after if after in kinds else "Pooling"
    place = len(kinds) - kinds[::-1].index(after)
    number = next(n for n in range(1, 1_000) if not (target / f"unslant_{n}").exists())
    _write_dense(target / f"unslant_{number}", affine)
    entries.insert(place, {"path": f"unslant_{number}", "type": _DENSE})
    numbered = [
        {"idx": n, "name": str(n), "path": entry.get("path", ""), "type": entry["type"]}
        for n, entry in enumerate(entries)
    ]
    write_json(path, numbered)


def _write_dense(folder: Path, affine: Affine) -> None:
    """A product with identity activation: y = x Mᵀᵀ + b, in the layout of torch (out × in)."""
    import torch

    matrix, offset = (torch.tensor(array, dtype=torch.float32) for array in affine)
    folder.mkdir()
    write_arrays(folder / WEIGHTS, {"linear.weight": matrix.T, "linear.bias": offset})
    facts = {
        "in_features": matrix.shape[0],
        "out_features": matrix.shape[1],
        "bias": True,
        "activation_function": "torch.nn.modules.linear.Identity",
    }
    write_json(folder / CONFIG, facts)


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write tensors to a safetensors file."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    plain = {name: array.contiguous() for name, array in arrays.items()}
    try:
        save_file(plain, path, metadata={"format": "pt"})
    except SafetensorError as error:  # a full disk is not an OSError there
        raise OutputError(f"Cannot write {path}: {error}.") from error


def _copy(folder: ModelFolder, name: str, target: Path) -> None:
    if (folder.path / name).is_file():
        (target / name).parent.mkdir(exist_ok=True)
        with folder.files.unchanged(name) as source:
            shutil.copyfile(source, target / name)


def write_json(path: Path, content: Mapping[str, Any] | list[Any]) -> None:
    """Write plain values to a JSON file."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


# The model card of an exported model: the original one, with one more section.

CARD = "README.md"
_LARGEST = 8 << 20


def write_card(
    model: "LanguageModel", folder: Path, name: str, who_applies: str, section: str = ""
) -> None:
    """Write the original card with a section on the debiasing and the libraries that apply it."""
    parts = [original_card(model, name)]
    if not model.intervention.steps and (model.folder.path / "tuning.json").exists():
        parts.append("Transformers loads this folder as it is.")  # the card says how it was trained
    else:
        parts += [_what_was_done(model), who_applies]
    _write(folder, [*parts, section.strip()])


def _write(folder: Path, parts: list[str]) -> None:
    text = "\n\n".join(part for part in parts if part)
    (folder / CARD).write_text(f"{text}\n", encoding="utf-8")


def original_card(model: "LanguageModel", name: str) -> str:
    """The card in the model's folder, or the beginning of one."""
    path = model.folder.path / CARD
    if not path.is_file():
        return f"# {name}"
    try:
        return decoded(FolderFiles(path.parent).read(CARD, _LARGEST)).rstrip()
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read: {error}.") from error


def _what_was_done(model: "LanguageModel") -> str:
    lines = [
        "## Debiased with Unslant",
        "",
        f"Unslant {__version__} applied these erasers to {model.original.name} "
        f"(SHA-256 of the model {model.weights_sha256[:16]}…):",
        "",
    ]
    lines += [
        f"- `{step.eraser.expression}` at `{step.place}`" for step in model.intervention.steps
    ]
    if not model.intervention.steps:
        lines.append("- none")
    return "\n".join(lines)
