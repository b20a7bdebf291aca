"""A file that was dropped onto the page: written into a folder of our own, checked, then read.

Its name is a text to show and never part of a path. One file is held at a time: the next one, the
end of the server or a fault removes it. Vectors are read into memory, not into the cache, which
would outlive the server, and their file is removed as soon as they are. Whatever could run code
when it is opened, such as a pickle, is refused unopened by those who read vectors anywhere.
"""

import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from unslant.core.errors import UnslantError
from unslant.core.lineage import Lineage, name_of_file
from unslant.core.read_record import read_record
from unslant.core.visible import visible
from unslant.vectors import WordVectors, load
from unslant.web.jobs import Report

LONGEST_NAME = 120
_BLOCK = 1 << 20
_SPARE_BYTES = 256 << 20
"""Disk space that must remain free after the upload."""
TOO_SLOW = "The file did not arrive as a whole. Drop it again."


@dataclass(frozen=True)
class Dropped:
    """A file that has arrived, and what its owner calls it."""

    path: Path
    name: str

    @property
    def is_record(self) -> bool:
        """Whether it is read as a record, as the command line would."""
        return self.name.lower().endswith(".json")

    def vectors(self, report: Report) -> WordVectors:
        """The vectors in it, under its own name; the file is gone afterwards."""
        try:
            loaded = load(self.path, cache=False, progress=report)
        except UnslantError as error:
            raise self._told(error) from error
        finally:
            self.path.unlink(missing_ok=True)
        name = loaded.lineage.origin if loaded.lineage.steps else name_of_file(self.name)
        origin = {**loaded.origin, "file": self.name}
        return WordVectors(
            loaded.words,
            loaded.matrix,
            Lineage(name, loaded.lineage.steps),
            origin=origin,
            content_hash=loaded.content_hash,
        )

    def check_record(self) -> None:
        """Refuse files that are not records; a record's file stays, because each view reads it."""
        try:
            read_record(self.path)
        except UnslantError as error:
            self.path.unlink(missing_ok=True)
            raise self._told(error) from error

    def _told(self, error: UnslantError) -> UnslantError:
        """The same sentence with the name that the owner knows in place of our path."""
        return UnslantError(str(error).replace(str(self.path), self.name))


class Drops:
    """Takes one file at a time into a folder that only its owner can open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "dropped"
        self._is_taking = False

    async def take(self, name: str, size: int, parts: AsyncIterator[bytes]) -> Dropped:
        """Save an upload, replacing the previous one."""
        if self._is_taking:
            raise UnslantError("Another file is still arriving. Drop this one when it is there.")
        self._is_taking = True
        try:
            dropped = Dropped(await run_in_threadpool(self._place, size), shown_name(name))
            if await _written(dropped.path, parts) != size:
                dropped.path.unlink(missing_ok=True)
                raise UnslantError(TOO_SLOW)
            return dropped
        finally:
            self._is_taking = False

    def _place(self, size: int) -> Path:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700)
        free = shutil.disk_usage(self._folder).free
        if size + _SPARE_BYTES > free:
            raise UnslantError(
                f"The temporary folder has {free >> 20:,} MB left, too little for this file. Name "
                f"it when you start the page: unslant serve FILE"
            )
        return self._folder / secrets.token_hex(8)


async def _written(path: Path, parts: AsyncIterator[bytes]) -> int:
    """Write the parts of a file in larger blocks; how many bytes there were."""
    size = 0
    try:
        with path.open("xb") as stream:
            path.chmod(0o600)
            waiting = bytearray()
            async for part in parts:
                waiting += part
                size += len(part)
                if len(waiting) >= _BLOCK:
                    await run_in_threadpool(stream.write, bytes(waiting))
                    waiting.clear()
            await run_in_threadpool(stream.write, bytes(waiting))
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UnslantError(f"The file cannot be kept: {error.strerror or error}.") from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size


def shown_name(name: str) -> str:
    """The last part of a file's name, fit to be shown.

    >>> shown_name("C:\\\\x/../glove.txt")
    'glove.txt'
    """
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    return visible(last[:LONGEST_NAME].encode("utf-8", "replace").decode()) or "vectors"
