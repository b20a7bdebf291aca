"""The folder of a study: its plan, one file for each finished cell, one for each failure.

A cell is done if and only if its file exists and its seal holds. Only the run that
holds the lock writes.
"""

import hashlib
import json
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.core.file_locks import hold
from unslant.core.files import atomic_write
from unslant.studies.run.plan_folder import PlanFolder, make_folder

# One run at a time in a folder.


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock ``path``, or name its holder; the system releases it when the holder ends."""
    with _opened(path) as stream:
        try:
            hold(stream.fileno(), wait=False)
        except OSError as error:
            stream.seek(0)
            holder = stream.read(200).decode(errors="replace").strip() or "another process"
            raise OutputError(
                f"Another run is at work on {what} ({holder}). Wait until it ends, or choose "
                f"another folder."
            ) from error
        with suppress(OSError):  # a full disk; the lock holds without its text
            stream.truncate(0)
            stream.write(f"process {os.getpid()} on {platform.node()}\n".encode())
        yield


def _opened(path: Path) -> FileIO:
    try:
        return path.open("a+b", buffering=0)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error


# The file of a finished cell: its result, its times, and a seal over both.
#
# Three lines: the result as canonical JSON, which holds nothing that differs from run to run;
# when and where it was computed; and the SHA-256 of the two.


def canonical(value: Any) -> str:
    """Canonical JSON: equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def packed(result: str, times: Mapping[str, Any]) -> bytes:
    """The bytes of a cell's file; the result is canonical JSON already."""
    content = f"{result}\n{canonical(times)}\n".encode()
    return content + hashlib.sha256(content).hexdigest().encode() + b"\n"


def unpacked(content: bytes, cell: str, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result and the times in a cell's file; any change since writing is refused."""
    try:
        first, second, seal, rest = content.split(b"\n")
        # The seal is compared before any JSON is parsed, so a damaged file never reaches the
        # parser.
        is_whole = hashlib.sha256(first + b"\n" + second + b"\n").hexdigest().encode() == seal
        result, times = (json.loads(first), json.loads(second)) if is_whole else (None, {})
    except (ValueError, RecursionError):
        rest, result, times = b"", None, {}
    if rest or not isinstance(result, dict) or result.get("id") != cell:
        raise DamagedFileError(
            f"{where} is not the file that was written for cell {cell}. Run the study again: the "
            f"file is set aside and the cell computed again."
        )
    return result, dict(times)


_SETTLE_SECONDS = 1.0

DONE, DAMAGED, MISSING = "done", "damaged", "missing"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a cell has no result; ``trace`` is set only if the error is a bug."""

    id: str
    label: tuple[str | int, ...]
    message: str
    kind: str = ""
    trace: str = ""


@dataclass(frozen=True, kw_only=True)
class StoredCell:
    """A finished cell under one of its labels."""

    label: tuple[str | int, ...]
    id: str
    result: Mapping[str, Any]


class Store(PlanFolder):
    """The results of a study so far, by the ids of its cells.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> store.write("ab12", {"id": "ab12", "value": 0.5}, {"seconds": 2.0})
    >>> store.read("ab12")["value"], store.done()
    (0.5, {'ab12'})
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        self._unsettled: set[Path] = set()
        self._settled = time.monotonic()

    def path(self, cell: str) -> Path:
        """The path of a cell's file, whether or not it exists."""
        return self.folder / "cells" / cell[:2] / f"{cell}.json"

    def write(self, cell: str, result: Mapping[str, Any], times: Mapping[str, Any]) -> None:
        """Keep the result of a cell, as :meth:`write_text` does."""
        self.write_text(cell, canonical(result), times)

    def write_text(self, cell: str, result: str, times: Mapping[str, Any]) -> None:
        """Keep the result of a cell, in canonical JSON; once this returns, no kill loses it.

        A power cut may lose what :meth:`settle` has not settled, at most the last second, and
        never leaves half a file.
        """
        self.forget_record()
        path = self.path(cell)
        make_folder(path.parent)
        # The data are flushed before the rename, so a name never points at half a file. The folder
        # entry is flushed later, for many cells at once (see ``settle``).
        with atomic_write(path, durable=False) as stream:
            stream.write(packed(result, times))
            stream.flush()
            os.fsync(stream.fileno())
        self._unsettled |= {path.parent, path.parent.parent}
        if time.monotonic() - self._settled > _SETTLE_SECONDS:
            self.settle()
        try:
            # Only after the result is on disk: killed in between, the cell has both files, and
            # ``failures`` ignores a failure whose cell is done.
            self._failure(cell).unlink(missing_ok=True)
        except OSError as error:  # for example, a folder of that name
            raise OutputError(f"Cannot remove {self._failure(cell)}: {error.strerror}.") from error

    def settle(self) -> None:
        """Make sure that the names of the files written so far outlive a power cut as well.

        The files themselves are on the disk before they get their names. To wait for the disk a
        second time for each would double the cost of a short cell.
        """
        for folder in self._unsettled if os.name == "posix" else ():
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            except OSError as error:
                raise OutputError(f"Cannot write to {folder}: {error.strerror}.") from error
            finally:
                os.close(handle)
        self._unsettled, self._settled = set(), time.monotonic()

    def read(self, cell: str) -> dict[str, Any]:
        """The result of a finished cell."""
        return self._unpacked(cell)[0]

    def times(self, cell: str) -> dict[str, Any]:
        """When, where and in how many seconds a finished cell was computed."""
        return self._unpacked(cell)[1]

    def state(self, cell: str) -> str:
        """Whether the file of a cell is ``done`` (its seal holds), ``damaged`` or ``missing``."""
        try:
            unpacked(self.path(cell).read_bytes(), cell, "")
        except FileNotFoundError:
            return MISSING
        except (DamagedFileError, OSError):
            return DAMAGED
        return DONE

    def done(self) -> set[str]:
        """The ids of all finished cells, of this plan and of earlier ones."""
        cells = {path.stem for path in self.folder.glob("cells/*/*.json")}
        return {cell for cell in cells if self.state(cell) == DONE}

    def set_aside(self, cell: str) -> Path:
        """Move a damaged file out of the way, and say where to."""
        self.forget_record()
        target, number = self.folder / "damaged" / f"{cell}.json", 1
        make_folder(target.parent)
        while target.exists():
            number += 1
            target = target.with_name(f"{cell}.{number}.json")
        return self.path(cell).rename(target)

    def damaged(self) -> dict[str, Path]:
        """The files that were set aside, by cell; of several, the last."""
        paths = sorted(self.folder.glob("damaged/*.json"), key=lambda path: path.stat().st_mtime)
        return {path.name.split(".")[0]: path for path in paths}

    def fail(
        self,
        cell: str,
        message: str,
        label: Sequence[str | int],
        *,
        kind: str = "",
        trace: str = "",
    ) -> None:
        """Keep why a cell has no result."""
        self.forget_record()
        failure = Failure(id=cell, label=tuple(label), message=message, kind=kind, trace=trace)
        path = self._failure(cell)
        make_folder(path.parent)
        with atomic_write(path) as stream:
            stream.write(json.dumps(asdict(failure), indent=1).encode() + b"\n")

    def failures(self) -> dict[str, Failure]:
        """Failures without a later result; unreadable files are ignored."""
        failures = {}
        for path in sorted(self.folder.glob("failures/*.json")):
            with suppress(ValueError, TypeError, KeyError, RecursionError, OSError):
                plain = json.loads(path.read_bytes())
                failure = Failure(**{**plain, "label": tuple(plain["label"])})
                if not self.path(failure.id).exists():
                    failures[failure.id] = failure
        return failures

    def records(self) -> Iterator[StoredCell]:
        """The finished cells of the present plan, each under its own label, in the plan's order.

        A damaged file among them is an error: the rest would look like the whole study.
        """
        for entry in self.index():
            if entry.id and self.path(entry.id).exists():
                yield StoredCell(label=entry.label, id=entry.id, result=self.read(entry.id))

    def locked(self) -> AbstractContextManager[None]:
        """Be the only run in this folder, which is made unless it exists."""
        self.refuse_other_files()  # before the file of the lock is among them
        make_folder(self.folder)
        return locked(self.folder / "lock", str(self.folder))

    def clear_partials(self) -> None:
        """Remove what a killed run had begun to write; for the run that holds the lock."""
        for pattern in (".*.partial", "failures/.*.partial", "cells/*/.*.partial"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)

    def _unpacked(self, cell: str) -> tuple[dict[str, Any], dict[str, Any]]:
        path = self.path(cell)
        try:
            return unpacked(path.read_bytes(), cell, str(path))
        except FileNotFoundError as error:
            raise UnslantError(f"{self.folder} has no finished cell {cell}.") from error
        except OSError as error:
            raise DamagedFileError(
                f"{path} cannot be read: {error.strerror}. Run the study again: what is in the way "
                f"is set aside and the cell computed again."
            ) from error

    def _failure(self, cell: str) -> Path:
        return self.folder / "failures" / f"{cell}.json"
