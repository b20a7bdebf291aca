"""Many processes, killed processes and full disks: the cache is whole or absent."""

import errno
import hashlib
import importlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.tallies import Tally
from unslant.core.errors import OutputError
from unslant.core.files import cache_folder
from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors, load
from unslant.vectors.formats import safetensors
from unslant.vectors.save import save

# Loads a file in as many rounds as asked for, each at once with the other processes and with a
# cache of its own, and prints a hash of what was read (not the one that the cache remembers).
TOGETHER = """
import hashlib, os, sys, time
from pathlib import Path
from unslant.vectors import load
path, folder, name, processes, rounds = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
for turn in range(int(rounds)):
    os.environ["UNSLANT_CACHE"] = str(folder / f"cache-{turn}")
    (folder / f"ready-{turn}-{name}").touch()
    while len(list(folder.glob(f"ready-{turn}-*"))) < int(processes):
        time.sleep(0.001)
    vectors = load(path)
    digest = hashlib.sha256("\\n".join(vectors.words).encode() + vectors.matrix.tobytes())
    print(digest.hexdigest(), flush=True)
"""

# Says when it is about to load, so that it can be killed at any point from then on.
ALONE = """
import sys
from unslant.vectors import load
print("ready", flush=True)
sys.stdin.readline()
load(sys.argv[1])
print("done", flush=True)
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes some tenths of a second to read."""
    matrix = np.random.default_rng(3).normal(size=(15_000, 50)).astype(np.float32)
    words = Vocabulary.of([f"word{number}" for number in range(len(matrix))])
    vectors = WordVectors(words, matrix, Lineage("big"))
    return save(vectors, tmp_path_factory.mktemp("big") / "big.txt")


def digest_of(vectors: WordVectors) -> str:
    content = "\n".join(vectors.words).encode() + vectors.matrix.tobytes()
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def expected(path: Path) -> str:
    return digest_of(load(path, cache=False))


def shape_of(entry: Path) -> tuple[int, int]:
    with safetensors.opened(entry) as stored:
        return stored.mapped().whole().shape


def partials(folder: Path) -> list[Path]:
    return list(folder.rglob("*.partial"))


def load_together(path: Path, folder: Path, processes: int, rounds: int) -> list[str]:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER, path, folder, str(name), str(processes), str(rounds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in range(processes)
    ]
    answers = [process.communicate(timeout=300) for process in running]
    assert [said for _, said in answers if said] == []
    return [line for said, _ in answers for line in said.split()]


@pytest.mark.parametrize(
    ("processes", "rounds"), [(8, 4), pytest.param(16, 20, marks=pytest.mark.full)]
)
def test_processes_that_load_the_same_file_at_once_all_get_it_whole(
    path: Path, expected: str, tmp_path: Path, processes: int, rounds: int, tally: Tally
) -> None:
    assert load_together(path, tmp_path, processes, rounds) == [expected] * processes * rounds
    for turn in range(rounds):
        cache = tmp_path / f"cache-{turn}"
        entries = list(cache.glob("vectors/*"))
        assert [entry.suffix for entry in entries] == [".safetensors"]
        assert shape_of(entries[0]) == (15_000, 50)
        assert partials(cache) == []
    tally(processes * rounds)


def seconds_of_a_load(path: Path, killed_after: float | None = None) -> float:
    """Load in a process of its own, which is killed after so many seconds of loading."""
    with subprocess.Popen(
        [sys.executable, "-c", ALONE, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        begun = time.perf_counter()
        process.stdin.write(b"go\n")
        if killed_after is None:
            assert process.stdout.readline() == b"done\n"
        else:
            time.sleep(killed_after)
            process.kill()
        return time.perf_counter() - begun


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.full)])
def test_a_load_after_a_kill_at_any_point_is_right(
    path: Path,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kills: int,
    tally: Tally,
) -> None:
    draw = random.Random(5)
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "measured"))
    whole = seconds_of_a_load(path)
    interrupted = 0
    for number in range(kills):
        monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / f"killed-{number}"))
        seconds_of_a_load(path, killed_after=draw.uniform(0, whole))
        entries = list(cache_folder().glob("vectors/*.safetensors"))
        interrupted += not entries
        for entry in entries:
            assert shape_of(entry) == (15_000, 50)
        assert digest_of(load(path)) == expected
        assert digest_of(load(path)) == expected
    assert interrupted >= kills // 5
    tally(kills)


def test_what_a_kill_left_behind_is_no_entry(path: Path, expected: str) -> None:
    load(path)
    (entry,) = cache_folder().glob("vectors/*")
    half = entry.with_name(f".{entry.name}-x.partial")
    half.write_bytes(entry.read_bytes()[:100_000])
    entry.unlink()
    assert digest_of(load(path)) == expected
    assert half.exists()  # it may belong to a process that still runs


def test_an_interrupt_leaves_nothing_behind(path: Path, expected: str) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if what == "Reading":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(path, progress=interrupt)
    assert list(cache_folder().glob("vectors/*")) == []
    assert digest_of(load(path)) == expected


# Full disks -----------------------------------------------------------------------------------

FULL = r"^The cache .* cannot be used \(.*No space left on device.*\)\. Choose .*cache=False\)\.$"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for one mebibyte, where one may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    path: Path, expected: str, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", str(small_disk / "cache"))
    little = small_disk.parent / "little.txt"
    little.write_text("a 0.5 0.5\nb 0.5 0.25\n")
    before = digest_of(load(little))
    for _ in range(3):
        with pytest.raises(OutputError, match=FULL):
            load(path)
        assert partials(small_disk) == []
    assert len(list(cache_folder().glob("vectors/*"))) == 1
    assert digest_of(load(little)) == before
    assert digest_of(load(path, cache=False)) == expected
    assert len(load(path, limit=5)) == 5


def test_saving_to_a_full_disk_keeps_the_file_that_was_there(path: Path, small_disk: Path) -> None:
    target = small_disk / "saved.txt"
    target.write_text("before")
    with pytest.raises(OutputError, match=r"No space left on device\. The previous content is"):
        save(load(path, cache=False), target)
    assert target.read_text() == "before"
    assert [item.name for item in small_disk.iterdir()] == ["saved.txt"]


@pytest.mark.parametrize("moment", ["write", "finish", "mkstemp"])
def test_a_disk_that_fills_at_any_moment_is_one_sentence(
    path: Path, expected: str, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def no_space(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    files = importlib.import_module("unslant.core.files")
    owners = {"mkstemp": files.tempfile}
    with monkeypatch.context() as full:
        full.setattr(owners.get(moment, safetensors.Writer), moment, no_space)
        with pytest.raises(OutputError, match=FULL):
            load(path)
    assert list(cache_folder().glob("vectors/*")) == []
    assert digest_of(load(path)) == expected
