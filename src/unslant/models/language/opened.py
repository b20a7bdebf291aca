"""Files of an untrusted folder: checked on opening, and unchanged between readings."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, UnsafeFileError, UnslantError
from unslant.core.files import Fingerprint
from unslant.core.text_files import decoded, json_from

LARGEST_JSON = 16 << 20
"""Parsed JSON can take 20 times the memory of its text; real configurations have kilobytes."""
_MOST_DIGITS = 64
"""transformers writes int(1e30), 31 digits, where a tokenizer sets no limit on a text's length."""
# A pipe would block without O_NONBLOCK; links were followed and checked before O_NOFOLLOW.
_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


class FolderFiles:
    """The files in a folder, by names relative to it.

    What is opened is checked, however many other files there are: it must be a regular file inside
    the folder, or in the Hugging Face cache that the folder belongs to. A file that has other bytes
    when it is read again is refused, so that a hash is always that of the bytes in use.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._hashes: dict[str, str] = {}
        self._fingerprints: dict[str, Fingerprint] = {}

    def __contains__(self, name: str) -> bool:
        return os.path.lexists(self.path / name)  # also a link to nothing, which is then refused

    @contextmanager
    def opened(self, name: str) -> Iterator[BufferedReader]:
        """A stream of a file's bytes, or a one-sentence error if it must not be opened."""
        path, real = self.path / name, self.inside(name)
        try:
            _refuse_mode(path, real.stat().st_mode)  # opening a device may already have an effect
            handle = os.open(real, _FLAGS)
        except OSError as error:
            raise DamagedFileError(
                f"{_shortened(path)} cannot be opened: {error.strerror}."
            ) from error
        with os.fdopen(handle, "rb") as stream:
            _refuse_mode(path, os.fstat(handle).st_mode)
            yield stream

    def inside(self, name: str) -> Path:
        """The resolved path of a name, which must be inside."""
        path = self.path / name
        try:
            real, folder = path.resolve(strict=True), self.path.resolve()
        except (OSError, RuntimeError) as error:  # before Python 3.13 a loop is a RuntimeError
            reason = getattr(error, "strerror", None) or "a link leads back to itself"
            raise DamagedFileError(f"{_shortened(path)} cannot be opened: {reason}.") from error
        allowed = [folder]
        if folder.parent.name == "snapshots":  # in the Hugging Face cache, where files are links
            allowed.append(folder.parent.parent / "blobs")
        if not any(real.is_relative_to(place) for place in allowed):
            raise UnsafeFileError(
                f"{_shortened(path)} is a link that leads out of the model's folder."
            )
        return real

    def checked(self, name: str) -> Path:
        """The path of a file that may be opened."""
        with self.opened(name):
            return self.path / name

    def read(self, name: str, largest: int = LARGEST_JSON) -> bytes:
        """The bytes of a small file, the same at every call."""
        path = self.path / name
        with self.opened(name) as stream:
            try:
                content = stream.read(largest + 1)
            except OSError as error:
                raise DamagedFileError(f"{path} cannot be read: {error.strerror}.") from error
        if len(content) > largest:
            raise DamagedFileError(f"{path} cannot be read: it is larger than {largest >> 20} MB.")
        digest = hashlib.sha256(content).hexdigest()
        if self._hashes.setdefault(name, digest) != digest:
            raise self._changed(name)
        return content

    def json(self, name: str) -> Any:
        """The value in a JSON file."""
        try:
            return json_from(decoded(self.read(name)), most_digits=_MOST_DIGITS)
        except ValueError as error:
            raise DamagedFileError(f"{self.path / name} cannot be read: {error}.") from error

    def json_object(self, name: str) -> dict[str, Any]:
        """The object in a JSON file."""
        read = self.json(name)
        if not isinstance(read, dict):
            raise DamagedFileError(
                f"{self.path / name} must hold a JSON object, not a {type(read).__name__}."
            )
        return read

    def sha256(self, name: str) -> str:
        """The SHA-256 of the bytes that are, or were, read."""
        if name not in self._hashes:
            with self.unchanged(name), self.opened(name) as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            self._hashes[name] = digest
        return self._hashes[name]

    @contextmanager
    def unchanged(self, name: str) -> Iterator[Path]:
        """The path of a large file; other bytes than at the first time are refused.

        Weights are not hashed at every reading, which would double the time of loading. Instead
        the file's inode, size and times are compared before and after. Its change time cannot be
        set by programs, so any writing in between is seen, unless it happened within the same tick
        of the clock (a few milliseconds) as the writing of the file itself.
        """
        self._expect_same(name)
        yield self.path / name
        self._expect_same(name)

    def _expect_same(self, name: str) -> None:
        with self.opened(name) as stream:
            now, before = Fingerprint.of(stream.fileno()), self._fingerprints.get(name)
            if now == before:
                return
            digest = self._hashes.get(name)
            if digest is not None:  # a new link to a file changes its times, but not its bytes
                is_same = hashlib.file_digest(stream, "sha256").hexdigest() == digest
                is_same &= Fingerprint.of(stream.fileno()) == now
            else:
                is_same = before is None
            if not is_same:
                raise self._changed(name)
            self._fingerprints[name] = now

    def _changed(self, name: str) -> UnslantError:
        return DamagedFileError(
            f"{self.path / name} was changed after the model was loaded. Load the model again."
        )


def _refuse_mode(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise DamagedFileError(f"{_shortened(path)} is a folder; a file was expected.")
    if not stat.S_ISREG(mode):
        raise UnsafeFileError(f"{_shortened(path)} is a device or a pipe, not a file of a model.")


def _shortened(path: Path) -> Path:
    return path if len(path.name) <= 60 else path.with_name(f"{path.name[:60]}…")
