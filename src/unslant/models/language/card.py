"""The model card of an exported model: the original one, with one more section."""

from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import DamagedFileError
from unslant.core.text_files import decoded
from unslant.core.version import __version__
from unslant.models.language.opened import FolderFiles

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

CARD = "README.md"
_LARGEST = 8 << 20


def write_card(
    model: "LanguageModel", folder: Path, name: str, who_applies: str, section: str = ""
) -> None:
    """Write the original card with a section that says what was done and who applies it."""
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
