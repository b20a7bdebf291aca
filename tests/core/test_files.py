import os
from pathlib import Path

import pytest

from unslant.core.errors import OutputError
from unslant.core.files import (
    Fingerprint,
    atomic_write,
    cache_folder,
    own_folder,
    sha256_of_file,
    write_text,
)


def test_the_content_appears_whole(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "größe")
    assert (tmp_path / "a.txt").read_bytes() == "größe".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_the_old_content_and_no_scrap(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with pytest.raises(RuntimeError), atomic_write(path) as stream:
        stream.write(b"half")
        raise RuntimeError("in the middle")
    assert path.read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_is_one_sentence_and_keeps_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with (
        pytest.raises(OutputError, match=r"No space left on device\. The previous content"),
        atomic_write(path) as stream,
    ):
        stream.write(b"half")
        raise OSError(28, os.strerror(28))
    assert path.read_text() == "before"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="Cannot write"):
        write_text(tmp_path / "no" / "a.txt", "x")


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_the_hash_is_the_published_one(tmp_path: Path) -> None:
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    seen: list[tuple[str, int, int]] = []
    digest = sha256_of_file(path, lambda *args: seen.append(args))
    assert digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert seen == [("Hashing", 3, 3)]


def test_a_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")
    before = Fingerprint.of(path)
    assert Fingerprint.of(path) == before
    path.write_bytes(b"22")
    assert Fingerprint.of(path) != before


def test_a_target_that_another_process_has_just_removed_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, plain = tmp_path / "file", Path.exists
    # As if it had been there a moment ago.
    monkeypatch.setattr(Path, "exists", lambda path: path == target or plain(path))
    write_text(target, "new")
    assert target.read_text() == "new"


# The cache folder ------------------------------------------------------------------------------


def test_a_link_in_the_cache_is_replaced_and_its_target_untouched(tmp_path: Path) -> None:
    victim, kept = tmp_path / "victim", cache_folder() / "seen" / "note.json"
    victim.write_text("precious")
    own_folder(kept.parent)
    kept.symlink_to(victim)
    write_text(kept, "new")
    assert victim.read_text() == "precious"
    assert not kept.is_symlink()
    assert kept.read_text() == "new"


def test_files_in_the_cache_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        own_folder(cache_folder())
        write_text(cache_folder() / "a", "x")
        write_text(tmp_path / "b", "x")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (cache_folder(), cache_folder() / "a")]
    assert modes == [0o700, 0o600]
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o666


def test_a_folder_of_ours_that_others_may_write_to_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o775)
    own_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_cache_folder_that_is_a_link_or_shared_is_refused(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    with pytest.raises(OutputError, match=r"not safe as a cache folder: it is a symbolic link\."):
        own_folder(link)
    real.chmod(0o1777)
    with pytest.raises(OutputError, match="all users share it"):
        own_folder(real)
    assert real.stat().st_mode & 0o7777 == 0o1777


def test_a_cache_folder_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(OutputError, match=r"belongs to another user\. Set UNSLANT_CACHE"):
        own_folder(tmp_path)
