"""What the cache keeps is checked before it is used: no changed bit becomes a number."""

import importlib
import json
import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tallies import Tally
from unslant.concepts import concept
from unslant.core.errors import DamagedFileError
from unslant.core.files import cache_folder
from unslant.methods.pipeline import fit
from unslant.methods.streaming import save_debiased
from unslant.vectors import WordVectors, load
from unslant.vectors import cache as caching
from unslant.vectors.formats import safetensors
from unslant.vectors.save import save
from unslant.vectors.sealed import rows_in_block

# The name is taken by the function, so the module is fetched by its path.
loading = importlib.import_module("unslant.vectors.load")

ROWS, DIM = 600, 30
WORDS = [f"word{number}" for number in range(ROWS)]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that the cache takes for settled, though it was written just now."""
    monkeypatch.setattr(caching, "_RACY_NS", -(10**12))
    matrix = np.random.default_rng(4).normal(size=(ROWS, DIM)).astype(np.float32)
    made = WordVectors.of(dict(zip(WORDS, matrix.tolist(), strict=True)))
    return save(made, tmp_path / "vectors.bin")


def the_entry() -> Path:
    (entry,) = cache_folder().glob("vectors/*")
    return entry


def flip(path: Path, bit: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(bit // 8)
        byte = stream.read(1)[0]
        stream.seek(bit // 8)
        stream.write(bytes([byte ^ 1 << bit % 8]))


def all_of(vectors: WordVectors) -> tuple[list[str], bytes, str, str]:
    """Everything that a measure or a record could take from vectors."""
    rows = vectors.rows(WORDS)
    assert rows.tobytes() == vectors.matrix.tobytes()
    return list(vectors.words), rows.tobytes(), vectors.content_hash, str(vectors.origin)


@pytest.mark.parametrize("flips", [150, pytest.param(1_000, marks=pytest.mark.full)])
def test_no_flipped_bit_of_the_cache_is_silent(path: Path, flips: int, tally: Tally) -> None:
    truth = all_of(load(path))
    draw = random.Random(6)
    outcomes, sentences = {"rebuilt or unused": 0, "refused": 0}, set[str]()
    for _ in range(flips):
        files = sorted(file for file in cache_folder().glob("*/*"))
        assert len(files) == 3  # the entry, the hash of the file, the hash of the content
        file = draw.choices(files, weights=[0.9 if f.suffix != ".json" else 0.05 for f in files])[0]
        flip(file, draw.randrange(8 * file.stat().st_size))
        try:
            found = all_of(load(path))
        except DamagedFileError as error:
            sentences.add(str(error).partition("It was ")[2])
            outcomes["refused"] += 1
            found = all_of(load(path))
        else:
            outcomes["rebuilt or unused"] += 1
        assert found == truth
    assert min(outcomes.values()) > flips // 10
    assert sentences == {"removed; run the command again to rebuild it from the source file."}
    tally(flips)


@pytest.mark.parametrize("name", ["words", "word_ends", "index_hashes", "index_rows"])
def test_an_entry_whose_arrays_are_nonsense_is_made_again(path: Path, name: str) -> None:
    truth = all_of(load(path))
    entry = the_entry()
    content = bytearray(entry.read_bytes())
    begin, end = tensor_place(entry, name)
    content[begin:end] = random.Random(7).randbytes(end - begin)
    entry.write_bytes(content)
    said: list[str] = []
    assert all_of(load(path, progress=lambda what, *_: said.append(what))) == truth
    assert "Rebuilding a damaged cache entry" in said


def tensor_place(entry: Path, name: str) -> tuple[int, int]:
    content = entry.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    begin, end = json.loads(content[8 : 8 + length])[name]["data_offsets"]
    return 8 + length + begin, 8 + length + end


def test_only_the_rows_that_are_used_are_checked(path: Path) -> None:
    truth = load(path, cache=False)
    load(path)
    entry = the_entry()
    flip(entry, 8 * (tensor_place(entry, "vectors")[1] - 1))  # in the last row
    assert rows_in_block(4 * DIM) < ROWS - 1
    vectors = load(path)
    assert vectors["word0"].tolist() == truth["word0"].tolist()
    assert len(vectors.head(100).matrix) == 100
    with pytest.raises(DamagedFileError, match="does not match its checksums"):
        vectors[WORDS[-1]]
    assert not entry.exists()


def test_an_entry_under_the_name_of_another_is_made_again(path: Path, tmp_path: Path) -> None:
    other = save(WordVectors.of({"a": [1.0, 2.0], "b": [2.0, 1.0]}), tmp_path / "other.bin")
    load(other)
    small = the_entry().read_bytes()
    load(path)
    for entry in cache_folder().glob("vectors/*"):
        entry.write_bytes(small)
    assert list(load(path).words) == WORDS


# Files that change while they are in use -------------------------------------------------------

USES: dict[str, Callable[[WordVectors], object]] = {
    "one word": lambda vectors: vectors["word3"],
    "rows": lambda vectors: vectors.rows_at(np.arange(10)),
    "the whole matrix": lambda vectors: vectors.matrix.sum(),
    "the content hash": lambda vectors: vectors.content_hash,
    "the first words": lambda vectors: vectors.head(20).matrix.sum(),
    "some words": lambda vectors: vectors.only(["word3", "word4"]),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("warm", [False, True])
def test_an_entry_cut_short_while_it_is_mapped_is_one_sentence(
    path: Path, use: str, warm: bool
) -> None:
    vectors = load(path)
    if warm:
        all_of(vectors)
    os.truncate(the_entry(), 70_000)
    with pytest.raises(DamagedFileError, match="its size changed while it was in use"):
        USES[use](vectors)
    assert len(load(path)) == ROWS


@pytest.mark.parametrize("use", USES)
def test_an_entry_overwritten_while_it_is_mapped_never_gives_other_numbers(
    path: Path, use: str
) -> None:
    vectors = load(path)
    all_of(vectors)
    entry = the_entry()
    before = entry.stat()
    begin, end = tensor_place(entry, "vectors")
    with entry.open("r+b") as stream:
        stream.seek(begin)
        stream.write(bytes(end - begin))
    os.utime(entry, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DamagedFileError, match="does not match its checksums"):
        USES[use](vectors)


def test_an_entry_that_is_cleared_while_it_is_mapped_stays_usable(path: Path) -> None:
    vectors = load(path)
    truth = all_of(vectors)
    caching.Cache(cache_folder()).clear()
    assert all_of(vectors) == truth


CHANGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda native: os.truncate(native, 70_000),
    "overwritten": lambda native: native.write_bytes(bytes(native.stat().st_size)),
    "removed": lambda native: native.unlink(),
}


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_of_our_own_may_change_after_it_was_loaded(
    path: Path, tmp_path: Path, cache: bool, change: str
) -> None:
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    vectors = load(native, cache=cache)
    truth = all_of(load(path, cache=False))
    CHANGES[change](native)
    assert all_of(vectors) == truth


@pytest.mark.parametrize("change", ["cut", "overwritten"])
def test_a_debiased_file_that_changes_is_one_sentence(
    path: Path, tmp_path: Path, change: str
) -> None:
    vectors = load(path)
    eraser = fit('linear(subspace="pair-difference(word1, word2)")', vectors, concept("gender"))
    output = tmp_path / "debiased.safetensors"
    after = save_debiased(vectors, eraser, output)
    after.matrix.sum()
    CHANGES[change](output)
    with pytest.raises(DamagedFileError, match=r"debiased\.safetensors is damaged: its"):
        after.rows_at(np.arange(3))
    assert output.exists()


@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_kept_by_a_study_is_mapped_and_checked_whole(
    path: Path, tmp_path: Path, damaged: bool
) -> None:
    kept = save(load(path, cache=False), tmp_path / "kept.safetensors")
    if not damaged:
        assert all_of(loading.load_kept(kept)) == all_of(load(path, cache=False))
        return
    flip(kept, 8 * (tensor_place(kept, "vectors")[1] - 1))
    with pytest.raises(DamagedFileError, match="does not match its checksums"):
        loading.load_kept(kept)


def test_a_changed_file_does_not_kill_the_process(path: Path, tmp_path: Path) -> None:
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    code = (
        "import os, sys; from unslant.vectors import load; v = load(sys.argv[1]);"
        "os.truncate(sys.argv[1], 70_000); print(v.matrix.shape, v.matrix.any())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, native], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"({ROWS}, {DIM}) True\n")


def test_a_file_without_a_seal_loads_by_its_hash(path: Path, tmp_path: Path) -> None:
    """Other libraries leave the seal out when they save a file again."""
    from safetensors.numpy import load_file, save_file

    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    with safetensors.opened(native) as stored:
        assert stored.seal is not None
    tensors = load_file(native)
    del tensors["seal"], tensors["block_hashes"]
    old = tmp_path / "old.safetensors"
    save_file(tensors, old, metadata=metadata_of(native))
    assert all_of(load(old)) == all_of(load(path, cache=False))
    damaged = tensors["vectors"].copy()
    damaged[0, 0] += 1
    save_file({**tensors, "vectors": damaged}, old, metadata=metadata_of(native))
    with pytest.raises(DamagedFileError, match="does not match the hash it was saved with"):
        load(old)


def metadata_of(native: Path) -> dict[str, str]:
    from safetensors import safe_open

    with safe_open(native, framework="numpy") as opened:
        found: dict[str, str] = opened.metadata()
    return found
