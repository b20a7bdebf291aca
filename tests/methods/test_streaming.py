"""Debiased vectors: in memory, in a mapped file and saved are the same; nothing is half-written."""

from mmap import mmap
from pathlib import Path

import numpy as np
import pytest

from tests.made_erasers import made_of
from unslant.concepts import concept
from unslant.core.errors import OutputError, UnslantError
from unslant.erasers import Dense, EachVector, Eraser
from unslant.methods import streaming
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased, save_debiased
from unslant.vectors import WordVectors, load

FORMATS = ["a.safetensors", "a.npz", "a.bin", "a.vec", "a.txt", "a.txt.gz"]


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return load(limit=3000)


@pytest.fixture(scope="module")
def eraser(vectors: WordVectors) -> Eraser:
    return fit("hard | misp", vectors, concept("gender"))


def is_mapped(array: object) -> bool:
    while array is not None and not isinstance(array, mmap):
        array = getattr(array, "base", None)
    return array is not None


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_reloads_to_the_same_vectors(
    name: str, vectors: WordVectors, eraser: Eraser, tmp_path: Path
) -> None:
    saved = save_debiased(vectors, eraser, tmp_path / name)
    again = load(tmp_path / name)
    assert again.content_hash == saved.content_hash == debiased(vectors, eraser).content_hash
    assert saved.name == "glove.6B.100d.slice.hard.misp"
    if name == "a.safetensors":
        assert again.name == saved.name
        assert again.origin["debiased_from"] == vectors.content_hash


def test_what_does_not_fit_into_memory_goes_to_a_file_and_is_the_same(
    vectors: WordVectors, eraser: Eraser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_memory = debiased(vectors, eraser)
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "here"))
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", 0)
    in_file = debiased(vectors, eraser)
    assert in_file.content_hash == in_memory.content_hash
    assert is_mapped(in_file.matrix)
    assert not is_mapped(in_memory.matrix)
    assert list((tmp_path / "here").iterdir()) == [], "the file has no name"
    chained = fit("hard | misp", vectors, concept("gender"))
    assert debiased(vectors, chained).content_hash == in_memory.content_hash


def test_a_folder_that_cannot_be_used_is_named(
    vectors: WordVectors, eraser: Eraser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", 0)
    with pytest.raises(OutputError, match="UNSLANT_CACHE"):
        debiased(vectors, eraser)


@pytest.mark.parametrize("name", ["a.safetensors", "a.txt"])
def test_numbers_beyond_float32_stop_the_run_and_leave_no_file(
    name: str, vectors: WordVectors, tmp_path: Path
) -> None:
    huge = made_of(EachVector(Dense(np.eye(100) * 1e39)), name="huge")
    with pytest.raises(UnslantError, match=r'huge gives "\w+" a number that does not fit'):
        save_debiased(vectors, huge, tmp_path / name)
    assert list(tmp_path.glob("*a.*")) == []


def test_a_bad_name_is_refused_before_any_work(
    vectors: WordVectors, eraser: Eraser, tmp_path: Path
) -> None:
    with pytest.raises(OutputError, match="does not determine a format"):
        save_debiased(vectors, eraser, tmp_path / "fair.xyz")


def test_progress_is_told_to_the_end(vectors: WordVectors, eraser: Eraser) -> None:
    told: list[tuple[str, int, int]] = []
    debiased(vectors, eraser, lambda *step: told.append(step))
    assert told[-1] == ("Applying hard | misp", 3000, 3000)
