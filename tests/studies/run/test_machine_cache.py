"""What is made once: by one process at a time, whole, and within a bound."""

import os
from pathlib import Path

import pytest

from unslant.core.errors import DamagedFileError, OutputError
from unslant.core.file_locks import alone
from unslant.core.files import cache_folder
from unslant.studies.run.machine_cache import HOLDS, get_or_create


def text_once(name: str, size: int = 100, most_bytes: int = 1 << 20) -> tuple[str, bool]:
    """A file of one letter over and over, and whether it was made now."""
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text(name * size)

    def read(path: Path) -> str:
        if (text := path.read_text()) != name * size:
            raise DamagedFileError(f"{path} is damaged.")
        return text

    return get_or_create({"name": name}, most_bytes, make=make, read=read), bool(made)


def files() -> list[Path]:
    return sorted((cache_folder() / "studies").glob("*.safetensors"))


def letters() -> set[str]:
    return {path.read_text()[0] for path in files()}


def test_a_file_is_made_once_and_made_anew_only_when_it_is_damaged() -> None:
    assert text_once("a") == ("a" * 100, True)
    assert text_once("a") == ("a" * 100, False)
    [path] = files()
    path.write_text("b")
    assert text_once("a") == ("a" * 100, True)
    path.unlink()
    assert text_once("a") == ("a" * 100, True)


def test_what_was_used_least_recently_goes_first_and_the_newest_stays() -> None:
    for at, name in enumerate("abc"):
        text_once(name, most_bytes=300)
        [path] = [path for path in files() if path.read_text()[0] == name]
        os.utime(path, (at, at))
    assert letters() == set("abc")
    assert text_once("a", most_bytes=300)[1] is False  # and so it was used last
    text_once("d", most_bytes=300)
    assert letters() == set("acd")
    text_once("e", most_bytes=10)
    assert letters() == {"e"}


def test_a_file_that_somebody_is_about_to_open_is_not_removed() -> None:
    text_once("a")
    [held] = files()
    with alone(held, HOLDS):
        text_once("b", most_bytes=10)
        assert letters() == set("ab")
    text_once("c", most_bytes=10)
    assert letters() == {"c"}


def test_what_a_killed_process_left_is_removed_by_whoever_makes_the_file() -> None:
    text_once("a")
    [path] = files()
    path.unlink()
    left = path.with_name(f".{path.name}-x1y2.partial")
    other = path.with_name(".0123456789.safetensors-x1y2.partial")
    left.touch()
    other.touch()
    text_once("a")
    assert not left.exists()
    assert other.exists()


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "file"))
    with pytest.raises(OutputError, match=r"Cannot write in .*file/studies: .*UNSLANT_CACHE"):
        text_once("a")
