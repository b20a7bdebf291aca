"""The cache saves time and never changes an answer."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unslant.core.errors import DamagedFileError, OutputError
from unslant.core.files import cache_folder
from unslant.vectors import WordVectors, load
from unslant.vectors import cache as caching
from unslant.vectors.cache import Cache
from unslant.vectors.save import save

# The name is taken by the function, so the module is fetched by its path.
loading = importlib.import_module("unslant.vectors.load")
sources = importlib.import_module("unslant.vectors.cache")

TEXT = b"".join(b"w%d %d.5 -0.25\n" % (n, n) for n in range(200))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that the cache takes for settled, though it was written just now."""
    monkeypatch.setattr(caching, "_RACY_NS", -(10**12))
    path = tmp_path / "vectors.txt"
    path.write_bytes(TEXT)
    return path


def entries() -> list[Path]:
    return sorted(cache_folder().glob("vectors/*"))


def is_mapped(vectors: WordVectors) -> bool:
    array: object = vectors.matrix
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


def forbid(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError(f"{name} was called")

    monkeypatch.setattr(owner, name, refuse)


def test_the_second_load_maps_and_neither_reads_nor_hashes_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(path)
    forbid(monkeypatch, sources, "read")
    forbid(monkeypatch, caching, "sha256_of_file")
    second = load(path)
    assert is_mapped(second)
    assert second.content_hash == first.content_hash == load(path, limit=200).content_hash
    assert second.origin == first.origin
    assert second.name == first.name == "vectors"


def test_a_cached_and_an_uncached_load_are_the_same_in_everything(path: Path) -> None:
    cached, plain = load(path), load(path, cache=False)
    assert cached.content_hash == plain.content_hash
    assert cached.origin == plain.origin
    assert (cached.name, cached.words) == (plain.name, plain.words)


@pytest.mark.parametrize("limit", [1, 7, 199, 200, 201])
def test_a_limit_gives_the_same_with_and_without_an_entry(path: Path, limit: int) -> None:
    path.write_bytes(b"a 0.5 0.5\na 0.5 0.5\n" + TEXT)
    before = load(path, limit=limit)
    assert entries() == []
    load(path)
    after = load(path, limit=limit)
    plain = load(path, limit=limit, cache=False)
    assert list(before.words) == list(after.words) == list(plain.words)
    assert before.content_hash == after.content_hash == plain.content_hash
    assert before.origin.get("limit") == after.origin.get("limit") == plain.origin.get("limit")


@pytest.mark.parametrize("modified", [None, 0])
def test_a_file_touched_just_now_is_hashed_again_whatever_time_it_claims(
    path: Path, monkeypatch: pytest.MonkeyPatch, modified: int | None
) -> None:
    monkeypatch.setattr(caching, "_RACY_NS", 10**12)
    if modified is not None:
        os.utime(path, (modified, modified))
    load(path)
    assert list(cache_folder().glob("seen/*")) == []


def test_a_changed_file_never_finds_the_old_entry(path: Path) -> None:
    old = load(path)
    stat = path.stat()
    path.write_bytes(TEXT.replace(b"w7 7.5", b"w7 9.5"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    new = load(path)
    assert new["w7"].tolist() == [9.5, -0.25]
    assert new.content_hash != old.content_hash
    assert len(entries()) == 2


def test_another_file_moved_into_its_place_is_seen(path: Path, tmp_path: Path) -> None:
    load(path)
    other = tmp_path / "other.txt"
    other.write_bytes(TEXT.replace(b"w7 7.5", b"w7 9.5"))
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert load(path)["w7"].tolist() == [9.5, -0.25]


def test_a_link_that_is_turned_to_another_file_is_seen(path: Path, tmp_path: Path) -> None:
    link, other = tmp_path / "link.txt", tmp_path / "other.txt"
    other.write_bytes(TEXT.replace(b"w7 7.5", b"w7 9.5"))
    link.symlink_to(path)
    assert load(link)["w7"][0] == 7.5
    link.unlink()
    link.symlink_to(other)
    assert load(link)["w7"][0] == 9.5


def test_the_same_content_under_another_name_hits(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load(path)
    copy = tmp_path / "copy.of.vectors.txt"
    copy.write_bytes(path.read_bytes())
    forbid(monkeypatch, sources, "read")
    second = load(copy)
    assert second.content_hash == first.content_hash
    assert second.name == "copy.of.vectors"
    assert len(entries()) == 1


def test_without_the_cache_nothing_is_written(path: Path, tmp_path: Path) -> None:
    load(path, cache=False)
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    load(native, cache=False)
    assert not cache_folder().exists()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.safetensors", "vectors.txt"]


@pytest.mark.parametrize("place", ["/proc/none", "file/cache"])
def test_a_folder_that_cannot_be_written_is_one_sentence(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / place))
    with pytest.raises(
        OutputError, match=r"^The cache .* cannot be used \([^.]*\)\. Choose"
    ) as told:
        load(path)
    assert "UNSLANT_CACHE" in str(told.value)
    assert "cache=False" in str(told.value)
    assert "--no-cache" in told.value.typed
    assert len(load(path, cache=False)) == 200


def test_a_file_of_our_own_loads_though_the_cache_cannot_be_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    monkeypatch.setenv("UNSLANT_CACHE", "/proc/none")
    assert len(load(native)) == 200


def test_another_policy_is_another_entry(path: Path) -> None:
    for duplicates in ("fail", "first"):
        for undecodable in ("fail", "drop"):
            load(path, duplicates=duplicates, undecodable=undecodable)
    assert len(entries()) == 4


def test_another_version_of_the_reader_is_another_entry(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(path)
    monkeypatch.setattr(sources, "READER_VERSION", -1)
    load(path)
    assert len(entries()) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: bytes(len(content)),
        lambda content: content + b"x",
        lambda content: content.replace(b"unslant vectors 1", b"unslant vectors 9"),
        lambda content: content.replace(b'"words"', b'"wordz"'),
    ],
)
def test_a_damaged_entry_is_made_again(path: Path, damage: Callable[[bytes], bytes]) -> None:
    first = load(path, cache=False)
    load(path)
    (entry,) = entries()
    entry.write_bytes(damage(entry.read_bytes()))
    assert load(path).content_hash == first.content_hash
    assert [item.name for item in entries()] == [entry.name]


def test_a_damaged_note_is_ignored(path: Path) -> None:
    load(path)
    (note,) = cache_folder().glob("seen/*")
    expected = load(path, cache=False).content_hash
    for content in (b"", b"{", b"[]", b"null", b'{"fingerprint": {}}', b"\xff", b'{"facts": 3}'):
        note.write_bytes(content)
        assert load(path).content_hash == expected


@pytest.mark.parametrize(
    ("moment", "cache"), [("Hashing", True), ("Reading", True), ("Reading", False)]
)
def test_a_file_that_changes_while_it_is_read_is_refused_and_leaves_no_entry(
    path: Path, moment: str, cache: bool
) -> None:
    if moment == "Hashing":  # a file is hashed first only if one of its size was seen before
        other = path.with_name("other.txt")
        other.write_bytes(TEXT.replace(b"w7 7.5", b"w7 8.5"))
        load(other)
    seen = entries()
    changes = iter([TEXT.replace(b"w7 7.5", b"w7 9.5")])

    def change(what: str, done: int, total: int) -> None:
        if what == moment and (content := next(changes, None)):
            path.write_bytes(content)

    with pytest.raises(DamagedFileError, match=r"changed while it was being read\. Wait until"):
        load(path, cache=cache, progress=change)
    assert entries() == seen
    assert load(path, cache=cache)["w7"].tolist() == [9.5, -0.25]


def test_a_failed_load_leaves_nothing(path: Path) -> None:
    path.write_bytes(TEXT + b"x 0.5\n")
    with pytest.raises(DamagedFileError):
        load(path)
    assert [item for item in cache_folder().rglob("*") if item.parent.name == "vectors"] == []


def test_what_killed_processes_left_is_removed_after_a_day(path: Path) -> None:
    load(path)
    old, new = cache_folder() / "vectors" / ".a.partial", cache_folder() / "vectors" / ".b.partial"
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    lost = cache_folder() / "vectors" / ".c.partial"
    lost.symlink_to("gone")  # like one that vanishes between listing and looking
    load(path)
    assert (old.exists(), new.exists()) == (False, True)


def test_clearing_removes_all_and_says_how_much(path: Path) -> None:
    load(path)
    cache = Cache(cache_folder())
    sizes = [item.stat().st_size for item in cache.files()]
    assert cache.clear() == (len(sizes), sum(sizes)) == (2, sum(sizes))
    assert list(cache.files()) == []
    assert len(load(path)) == 200


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", "/a")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("UNSLANT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == Path("/b/unslant")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == Path("/c/.cache/unslant")


# Who else can write to it ----------------------------------------------------------------------


def test_the_folders_and_files_of_the_cache_are_open_to_their_owner_alone(path: Path) -> None:
    load(path).content_hash  # noqa: B018
    kept = [cache_folder(), *cache_folder().rglob("*")]
    assert len(kept) == 6
    assert [item for item in kept if item.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("name", ["", "vectors", "seen"])
def test_a_cache_that_belongs_to_another_user_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    load(path)
    foreign, plain = cache_folder() / name, Path.lstat

    def lstat(item: Path) -> os.stat_result:
        facts = plain(item)
        return os.stat_result([*facts[:4], 12_345, *facts[5:]]) if item == foreign else facts

    monkeypatch.setattr(Path, "lstat", lstat)
    with pytest.raises(OutputError, match=r"belongs to another user\. .*cache=False"):
        load(path)


@pytest.mark.parametrize("name", ["", "vectors", "seen"])
def test_a_cache_folder_that_is_a_link_is_refused(path: Path, tmp_path: Path, name: str) -> None:
    load(path)
    (cache_folder() / name).rename(tmp_path / "moved")
    (cache_folder() / name).symlink_to(tmp_path / "moved")
    with pytest.raises(OutputError, match="is a symbolic link"):
        load(path)


def test_an_entry_that_is_a_link_is_replaced_by_a_file(path: Path, tmp_path: Path) -> None:
    load(path)
    (entry,) = entries()
    moved = entry.rename(tmp_path / "moved")
    content = moved.read_bytes()
    entry.symlink_to(moved)
    assert len(load(path)) == 200
    assert entry.is_file()
    assert not entry.is_symlink()
    assert moved.read_bytes() == content


# Our own format -------------------------------------------------------------------------------


def test_a_file_of_our_own_is_checked_once_and_then_mapped(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    first = load(native)
    forbid(monkeypatch, WordVectors, "check_finite")
    assert is_mapped(load(native))
    assert load(native).content_hash == first.content_hash


def test_a_file_of_our_own_that_was_altered_is_refused(path: Path, tmp_path: Path) -> None:
    native = save(load(path, cache=False), tmp_path / "a.safetensors")
    load(native)
    stat = native.stat()
    content = bytearray(native.read_bytes())
    content[70_000] ^= 1
    native.write_bytes(content)
    os.utime(native, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(DamagedFileError, match="its content does not match its checksum"):
        load(native)
