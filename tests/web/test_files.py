"""Files to download: none is lost while it is written, and they do not fill the disk."""

from pathlib import Path

import pytest

from unslant.web import view
from unslant.web.view import MOST_FILES, Files, Written


def test_the_files_made_last_are_kept_under_names_that_say_nothing(tmp_path: Path) -> None:
    made = Files(tmp_path)
    all_of_them = [
        made.written("../../x", ".html", lambda path: path.touch()) for _ in range(MOST_FILES + 2)
    ]
    assert [item.is_there() for item in all_of_them] == [False] * 2 + [True] * MOST_FILES
    assert {path.parent for path in tmp_path.rglob("*")} == {tmp_path}
    assert not [path for path in tmp_path.iterdir() if "x" in path.name.removesuffix(".html")]


def test_large_files_make_room_for_each_other_but_the_last_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MOST_BYTES", 100)
    made = Files(tmp_path)

    def made_of(size: int) -> Written:
        def write(path: Path) -> None:
            path.write_bytes(bytes(size))

        return made.written("v", ".vec", write)

    found = [made_of(size) for size in (40, 40, 40, 400)]
    assert [item.is_there() for item in found] == [False, False, False, True]


def test_files_made_meanwhile_do_not_remove_one_that_is_being_written(tmp_path: Path) -> None:
    made = Files(tmp_path)

    def write(path: Path) -> None:
        path.write_text("begun")
        for _ in range(MOST_FILES + 1):
            made.written("other", ".html", lambda other: other.touch())
        assert path.exists()

    assert made.written("slow", ".vec", write).is_there()
