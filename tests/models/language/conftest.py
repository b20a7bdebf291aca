"""Random models of every architecture, made once, and real ones where they are."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.models.language.model import TransformerModel, load_transformer

MODELS = "UNSLANT_MODELS"


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The folder of a random model with its head, or without it; never write into it."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.models.language.folders import save

    made: dict[tuple[str, bool], Path] = {}

    def folder(kind: str, head: bool = True) -> Path:
        if (kind, head) not in made:
            path = tmp_path_factory.mktemp("models") / kind
            made[kind, head] = save(path, kind, head=head)
        return made[kind, head]

    return folder


@pytest.fixture(scope="session")
def model_of(folder_of: Callable[..., Path]) -> Callable[..., TransformerModel]:
    """A random model with its head, or without it, read once."""
    read: dict[tuple[str, bool], TransformerModel] = {}

    def model(kind: str, head: bool = True) -> TransformerModel:
        if (kind, head) not in read:
            read[kind, head] = load_transformer(folder_of(kind, head))
        return read[kind, head]

    return model


@pytest.fixture(scope="session")
def real_folder() -> Callable[[str], Path]:
    """The folder of a real model; tests that need it skip where it is absent."""
    base = os.environ.get(MODELS)

    def folder(name: str) -> Path:
        pytest.importorskip("transformers")
        if not base:
            pytest.skip(f"{MODELS} is not set: the real models are not here")
        if not (Path(base) / name).is_dir():
            pytest.skip(f"{MODELS} has no folder {name}")
        return Path(base) / name

    return folder
