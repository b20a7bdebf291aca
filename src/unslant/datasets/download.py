"""Download a file whose SHA-256 is known: it arrives complete and correct, or not at all.

The bytes go to a separate temporary file, which is renamed once its hash matches. Any number of
processes can therefore download the same file, and a truncated, altered, stalled, endless or slow
download leaves nothing behind.
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
from unslant.core.files import Progress, atomic_write, cache_folder, is_in_cache, own_folder

TIMEOUT_SECONDS = 30.0
"""How long the server may send nothing."""

MOST_BYTES = 10_000_000_000
"""Limit for a file of unknown size; the largest published vectors are about this size."""

MOST_SECONDS = 4 * 3600.0
"""Time limit for a download of unknown size: the largest at 0.7 MB a second."""

_BYTES_A_SECOND = 20_000
_SECONDS_TO_START = 300.0
_BY_HAND = "download it in another way and use its path, or put it in the UNSLANT_DATA folder"

SCHEMES = ("https",)


class DownloadError(UnslantError):
    """A file that could not be downloaded, or has the wrong content."""


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
    """Download ``address`` to ``path`` if it has this hash, and this size if known.

    More than ``size`` bytes, or more than ``most_bytes`` if the size is unknown, are refused, and
    so is a download that takes longer than ``seconds`` (by default :data:`MOST_SECONDS`, or less
    for a file of known size).
    """
    _refuse_scheme(address)
    if os.environ.get("UNSLANT_OFFLINE", "0") not in ("", "0"):
        raise DownloadError(
            f"{address} was not downloaded because UNSLANT_OFFLINE is set. Unset it, or "
            f"set UNSLANT_DATA to a folder that has the file."
        )
    if seconds is None:
        seconds = MOST_SECONDS if size is None else _SECONDS_TO_START + size / _BYTES_A_SECOND
    try:
        if is_in_cache(path):
            own_folder(cache_folder())
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot create the folder {path.parent}: {error.strerror}.") from error
    with atomic_write(path) as stream:
        arriving = _Arriving(stream, address, size, most_bytes, progress)
        try:
            _within(seconds, arriving)
        except OSError as error:  # every error of requests is one, and so is a full disk
            if not type(error).__module__.startswith("requests"):
                raise
            raise DownloadError(
                f"{address} could not be downloaded ({_reason(error)}). Nothing was saved. Check "
                f"the connection and try again, or set UNSLANT_DATA to a folder that has the file."
            ) from error
        arriving.check(sha256)


def _within(seconds: float, arriving: "_Arriving") -> None:
    """Download on a separate thread, and give up when the time is over.

    The network library's timeout applies to each byte: a server that sends a byte now and then
    can hold a reader for days, in the headers too.
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
            f"Downloading {arriving.address} was stopped after {seconds:,.0f} seconds, when "
            f"{arriving.arrived:,} bytes had arrived. Nothing was saved. Try again, or {_BY_HAND}."
        )
    if failures:
        raise failures[0]


class _Arriving:
    """A download, hashed on its way to disk; it stops as soon as it exceeds its size limit."""

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
        """Request the file and receive all of it."""
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
        """Close a connection that another thread is waiting for, if there is one."""
        with suppress(OSError, AttributeError):  # it may be closed, or gone, by now
            self._response.raw.connection.sock.shutdown(socket.SHUT_RDWR)

    def write(self, block: bytes) -> int:
        """Receive the next block."""
        self.arrived += len(block)
        self._refuse_more(self.arrived)
        if self.progress:
            self.progress("Downloading", self.arrived, self.size or 0)
        self.digest.update(block)
        return self.stream.write(block)

    def _look_at(self, response: Any, **_: Any) -> None:
        """Follow redirects only to encrypted addresses, and stop at the size limit."""
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
                f"{self.address} sends more than the expected {self.size:,} bytes. Nothing was "
                f"saved. Something on the network is altering the file."
            )
        if self.size is None and bytes_ > self.most_bytes:
            raise DownloadError(
                f"{self.address} sends more than the limit of {self.most_bytes:,} bytes. Nothing "
                f"was saved. If the file is really that large, {_BY_HAND}."
            )

    def flush(self) -> None:
        """Flush the buffer, as the downloader requires after the last block."""
        self.stream.flush()

    def check(self, sha256: str) -> None:
        """Raise an error if this is not the requested file."""
        digest = self.digest.hexdigest()
        if digest != sha256:
            size = f"{self.size:,} bytes with " if self.size is not None else ""
            raise DownloadError(
                f"{self.address} sent {self.arrived:,} bytes with the SHA-256 {digest[:16]}…; "
                f"expected {size}{sha256[:16]}…. Nothing was saved. Try again; if it happens "
                f"again, something on the network is altering the file."
            )


def _refuse_scheme(address: str) -> None:
    if urlsplit(address).scheme not in SCHEMES:
        raise DownloadError(f"{address} was not downloaded: the address must be {SCHEMES[0]}.")


def _reason(error: OSError) -> str:
    """A short reason for a failure; the network library's own messages are very long."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
