"""The folders that Unslant writes to or reads from."""

import os
import stat
from pathlib import Path

from unslant.core.errors import OutputError

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """The folder for everything that can be rebuilt or downloaded; see ``UNSLANT_CACHE``."""
    if chosen := os.environ.get("UNSLANT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "unslant"
    except RuntimeError as error:
        raise OutputError(
            "There is no home folder for the cache: HOME is not set and this user has none. "
            "Set HOME, or set UNSLANT_CACHE to your own folder."
        ) from error


def is_in_cache(path: Path) -> bool:
    """Whether a file belongs to the cache folder by its name, without following links."""
    try:
        folder = cache_folder()
    except OutputError:  # without a cache nothing is in it
        return False
    plain, cache = (os.path.normpath(one.absolute()) for one in (path, folder))
    return Path(plain).is_relative_to(cache)


def own_folder(folder: Path) -> None:
    """Make sure that a folder exists and that only this user can put anything into it.

    Only this user can access a new folder. A link, another user's folder and a folder shared by
    all users are refused: anyone who can write there decides what is loaded from it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name != "posix":
        return
    facts = folder.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise _unsafe(folder, "it is a symbolic link")
    if facts.st_uid != os.geteuid():
        raise _unsafe(folder, "it belongs to another user")
    if facts.st_mode & stat.S_ISVTX:
        raise _unsafe(folder, "all users share it")
    if facts.st_mode & _OTHERS_MAY_WRITE:
        folder.chmod(stat.S_IMODE(facts.st_mode) & ~_OTHERS_MAY_WRITE)


def _unsafe(folder: Path, reason: str) -> OutputError:
    return OutputError(
        f"{folder} is not safe as a cache folder: {reason}. Set UNSLANT_CACHE to your own folder."
    )


def data_folder() -> Path | None:
    """The data folder set in ``UNSLANT_DATA``, if any."""
    chosen = os.environ.get("UNSLANT_DATA")
    return Path(chosen) if chosen else None
