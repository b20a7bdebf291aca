"""Download a file whose SHA-256 is known: it arrives whole and right, or not at all.

The bytes go through a temporary file of their own and are renamed once their hash agreed. So any
number of processes may fetch the same file, and a cut, altered, stalled, endless or slow download
leaves nothing.
"""

import hashlib
import os
import re
import socket
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, atomic_write
from unslant.core.folders import cache_folder, is_in_cache, own_folder

TIMEOUT_SECONDS = 30.0
"""How long the server may say nothing."""

MOST_BYTES = 10_000_000_000
"""How large a file of unknown size may be; the largest published vectors are about this size."""

MOST_SECONDS = 4 * 3600.0
"""How long a download of unknown size may take in all: the largest at 0.7 MB a second."""

_BYTES_A_SECOND = 20_000
_SECONDS_TO_START = 300.0
_BY_HAND = "fetch the file in another way and use its path, or put it where UNSLANT_DATA points to"

SCHEMES = ("https",)


class DownloadError(UnslantError):
    """A file that could not be fetched, or was not what it should be."""


def download(
    address: str,
    path: Path,
    *,
    sha256: str,
    size: int | None = None,
    most_bytes: int = MOST_BYTES,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> None:
    """Put the file at ``address`` at ``path`` if it has this hash, and this size where known.

    More than ``size`` bytes, or than ``most_bytes`` where the size is not known, are refused, and
    so is a download that takes longer than ``seconds`` (by default :data:`MOST_SECONDS`, or less
    for a file of known size).
    """
    _refuse_scheme(address)
    if os.environ.get("UNSLANT_OFFLINE", "0") not in ("", "0"):
        raise DownloadError(
            f"{address} was not fetched because UNSLANT_OFFLINE is set. Unset it to go online, or "
            f"point UNSLANT_DATA to a folder that has the file."
        )
    if seconds is None:
        seconds = MOST_SECONDS if size is None else _SECONDS_TO_START + size / _BYTES_A_SECOND
    try:
        if is_in_cache(path):
            own_folder(cache_folder())
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder {path.parent}: {error.strerror}.") from error
    with atomic_write(path) as stream:
        arriving = _Arriving(stream, address, size, most_bytes, progress)
        try:
            _within(seconds, arriving)
        except OSError as error:  # every error of requests is one, and so is a full disk
            if not type(error).__module__.startswith("requests"):
                raise
            raise DownloadError(
                f"{address} could not be fetched ({_reason(error)}). Nothing was kept. Check the "
                f"connection and try again, or point UNSLANT_DATA to a folder that has the file."
            ) from error
        arriving.check(sha256)


def _within(seconds: float, arriving: "_Arriving") -> None:
    """Fetch on a thread of its own, and give up when the time is over.

    A time limit of the network library is one for each byte: a server that sends a byte now and
    then can hold a reader for days, in the headers too.
    """
    failures: list[BaseException] = []

    def fetch() -> None:
        try:
            arriving.fetch()
        except BaseException as error:
            failures.append(error)

    thread = Thread(target=fetch, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        arriving.hang_up()
        raise DownloadError(
            f"{arriving.address} was given up after {seconds:,.0f} seconds, when "
            f"{arriving.arrived:,} bytes had come. Nothing was kept. Try again, or {_BY_HAND}."
        )
    if failures:
        raise failures[0]


class _Arriving:
    """What arrives, hashed on its way to the disk; more than may come is refused at once."""

    def __init__(
        self,
        stream: BinaryIO,
        address: str,
        size: int | None,
        most_bytes: int,
        progress: Progress | None,
    ) -> None:
        self.stream, self.address, self.size, self.progress = stream, address, size, progress
        self.most_bytes = most_bytes
        self.arrived, self.digest = 0, hashlib.sha256()
        self._response: Any = None

    def fetch(self) -> None:
        """Ask for the file and take all of it."""
        import pooch  # late: its own imports take a tenth of a second

        get = pooch.HTTPDownloader(
            timeout=TIMEOUT_SECONDS, chunk_size=1 << 16, hooks={"response": self._look_at}
        )
        try:
            get(self.address, self, None)
        finally:
            if self._response is not None:
                self._response.close()

    def hang_up(self) -> None:
        """End a connection that another thread waits for, if there is one yet."""
        with suppress(OSError, AttributeError):  # it may be closed, or gone, by now
            self._response.raw.connection.sock.shutdown(socket.SHUT_RDWR)

    def write(self, block: bytes) -> int:
        """Take the next block."""
        self.arrived += len(block)
        self._refuse_more(self.arrived)
        if self.progress:
            self.progress("Downloading", self.arrived, self.size or 0)
        self.digest.update(block)
        return self.stream.write(block)

    def _look_at(self, response: Any, **_: Any) -> None:
        """Follow a server only to encrypted addresses, and take no more than may come."""
        self._response = response
        if response.is_redirect:
            _refuse_scheme(urljoin(response.url, response.headers["location"]))
        elif response.ok:
            announced = response.headers.get("content-length", "")
            if announced.isdecimal() and self.size is None:
                self._refuse_more(int(announced[:20]))

    def _refuse_more(self, bytes_: int) -> None:
        if self.size is not None and bytes_ > self.size:
            raise DownloadError(
                f"{self.address} sends more than the {self.size:,} bytes that the file should "
                f"have. Nothing was kept. Something on the way alters the file."
            )
        if self.size is None and bytes_ > self.most_bytes:
            raise DownloadError(
                f"{self.address} sends more than the {self.most_bytes:,} bytes that a download may "
                f"have. Nothing was kept. If the file is really that large, {_BY_HAND}."
            )

    def flush(self) -> None:
        """Hand on what is buffered, as the downloader asks after the last block."""
        self.stream.flush()

    def check(self, sha256: str) -> None:
        """Refuse what is not the file that was asked for."""
        found = self.digest.hexdigest()
        if found != sha256:
            size = f"{self.size:,} bytes with " if self.size is not None else ""
            raise DownloadError(
                f"{self.address} sent {self.arrived:,} bytes with the SHA-256 {found[:16]}…; "
                f"{size}{sha256[:16]}… were expected. Nothing was kept. Try again; if it stays so, "
                f"something on the way alters the file."
            )


def _refuse_scheme(address: str) -> None:
    if urlsplit(address).scheme not in SCHEMES:
        raise DownloadError(f"{address} was not fetched: only {SCHEMES[0]} addresses are.")


def _reason(error: OSError) -> str:
    """What went wrong in a few words; the network library's own texts fill a screen."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
