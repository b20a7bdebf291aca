"""Models by the name they have on the Hugging Face hub, if they were downloaded before."""

import os
import re
from pathlib import Path

from unslant.core.errors import FileFormatError

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
