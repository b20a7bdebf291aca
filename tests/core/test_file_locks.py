import errno
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from unslant.core.file_locks import hold


class Msvcrt(ModuleType):
    """The lock of one byte as Windows has it: PermissionError while another handle holds it."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.refusals = 0

    def locking(self, handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        if self.refusals:
            self.refusals -= 1
            raise PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Msvcrt:
    lock = Msvcrt()
    monkeypatch.setitem(sys.modules, "msvcrt", lock)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("unslant.core.file_locks._RETRY_SECONDS", 0)
    return lock


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_lock_is_held_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as first, path.open("wb") as second:
        hold(first.fileno(), wait=False)
        with pytest.raises(BlockingIOError):
            hold(second.fileno(), wait=False)
        first.close()
        hold(second.fileno(), wait=False)


def test_a_file_system_without_locks_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with (tmp_path / "lock").open("wb") as stream:
        hold(stream.fileno(), wait=True)


def test_windows_refuses_a_lock_that_is_held(tmp_path: Path, windows: Msvcrt) -> None:
    windows.refusals = 1
    with (tmp_path / "lock").open("wb") as stream:
        with pytest.raises(BlockingIOError):
            hold(stream.fileno(), wait=False)
        hold(stream.fileno(), wait=False)


def test_windows_waits_for_a_lock(tmp_path: Path, windows: Msvcrt) -> None:
    windows.refusals = 3
    with (tmp_path / "lock").open("wb") as stream:
        hold(stream.fileno(), wait=True)
    assert windows.refusals == 0
