"""Mutants of tokenizers and folders: one sentence each, and no memory that stays taken."""

import json
import os
import random
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.folders import save_sentence_model
from tests.models.language.test_hostile_files import (
    BOMBS,
    INDEX,
    _sharded,
    resident,
    with_tokenizer,
)
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.models.language.model import load_model

_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**9, 10**17, 10**30, 1e300, "", "a", "x" * 5_000, "..", "\x00", "é",
    [], {}, [1], [[]], {"a": 1}, {"type": "Sequence"}, {"Regex": "(a+)+$"}, {"String": ""},
)  # fmt: skip


def _places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in a JSON value."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [here, *(place for key, part in items for place in _places(part, (*here, key)))]


def _another_value(path: Path, made: random.Random) -> None:
    content = json.loads(path.read_text())
    place = made.choice(_places(content)[1:] or [()])
    target = content
    for key in place[:-1]:
        target = target[key]
    if not place:
        content = made.choice(_VALUES)
    elif made.random() < 0.2:
        del target[place[-1]]
    elif made.random() < 0.2 and isinstance(target, dict):
        target[made.choice(["type", "x", "é" * 300])] = made.choice(_VALUES)
    else:
        target[place[-1]] = made.choice(_VALUES)
    path.write_text(json.dumps(content))


def _other_bytes(path: Path, made: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(made.randint(1, 4)):
        at = made.randrange(len(content) or 1)
        if made.random() < 0.5 and content:
            content[at] = made.randrange(256)
        else:
            del content[at : at + made.randint(1, 200)]
    path.write_bytes(content)


def _something_else(path: Path, made: random.Random) -> None:
    path.unlink()
    kind = made.randrange(6)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to(path.name)
    elif kind == 3:
        path.symlink_to("/dev/zero")
    elif kind == 4:
        path.write_bytes(b"")
    # and otherwise it is gone


def _mutated(folder: Path, made: random.Random) -> str:
    """Change one file of a folder in one way; its name."""
    if made.random() < 0.5:
        path = folder / "tokenizer.json"
        if made.random() < 0.04:
            with_tokenizer(folder, **BOMBS[made.choice([*BOMBS])])
            return "tokenizer.json"
    else:
        path = made.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    ways = [_other_bytes, _something_else]
    if path.suffix == ".json":
        ways += [_another_value] * 4
    made.choice(ways)(path, made)
    return path.name


def _refusal(folder: Path) -> str:
    """The sentence with which a folder is refused; "" if it works."""
    try:
        load_model(folder).encode(["the nurse is here ."])
    except UnslantError as error:
        return str(error) or "\n"
    return ""


@pytest.fixture(scope="module")
def originals(
    tmp_path_factory: pytest.TempPathFactory, folder_of: Callable[..., Path]
) -> list[Path]:
    folder = tmp_path_factory.mktemp("originals")
    found = [Path(shutil.copytree(folder_of(kind), folder / kind)) for kind in ("bert", "gpt2")]
    found.append(save_sentence_model(folder / "sentences", dense=("tanh",)))
    found.append(Path(shutil.copytree(folder_of("bert"), folder / "sharded")))
    _sharded(found[-1])
    assert (found[-1] / INDEX).exists()
    return found


@pytest.mark.parametrize("mutants", [150, pytest.param(2_000, marks=pytest.mark.full)])
def test_a_mutant_of_a_folder_is_one_sentence_or_works(
    originals: list[Path], tmp_path: Path, mutants: int, tally: Tally
) -> None:
    made, refused, slowest, most = random.Random(31), 0, 0.0, 0.0
    for original in originals:  # what is read once takes memory once
        load_model(original).encode(["the nurse is here ."])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for number in range(mutants):
        folder = tmp_path / f"model{number}"
        shutil.copytree(made.choice(originals), folder)
        name = _mutated(folder, made)
        before, start = resident(), time.monotonic()
        message = _refusal(folder)
        refused += bool(message)
        assert "\n" not in message, name
        assert len(message) < 1_500, name
        slowest, most = max(slowest, time.monotonic() - start), max(most, resident() - before)
        shutil.rmtree(folder)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - peak
    assert refused > mutants / 4
    assert slowest < 30
    assert most < 64  # files of a few kilobytes
    assert grown < 64
    tally(mutants, seconds=slowest, mebibytes=max(most, grown), said=f"{refused} refused")
