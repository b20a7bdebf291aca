"""Download a file whose SHA-256 is known: it arrives whole and right, or not at all.

The bytes go through a temporary file of their own and are renamed once their hash agreed. So any
number of processes may fetch the same file, and a cut, altered or stalled download leaves nothing.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, atomic_write
from unslant.core.folders import cache_folder, is_in_cache, own_folder

TIMEOUT_SECONDS = 30.0
"""How long the server may say nothing."""

SCHEMES = ("https",)


class DownloadError(UnslantError):
    """A file that could not be fetched, or was not what it should be."""


def download(
    address: str,
    path: Path,
    *,
    sha256: str,
    size: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Put the file at ``address`` at ``path`` if it has this hash, and this size where known."""
    _refuse_scheme(address)
    if os.environ.get("UNSLANT_OFFLINE", "0") not in ("", "0"):
        raise DownloadError(
            f"{address} was not fetched because UNSLANT_OFFLINE is set. Unset it to go online, or "
            f"point UNSLANT_DATA to a folder that has the file."
        )
    try:
        if is_in_cache(path):
            own_folder(cache_folder())
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder {path.parent}: {error.strerror}.") from error
    import pooch  # late: its own imports take a tenth of a second

    get = pooch.HTTPDownloader(
        timeout=TIMEOUT_SECONDS, chunk_size=1 << 16, hooks={"response": _check_redirect}
    )
    with atomic_write(path) as stream:
        arriving = _Arriving(stream, address, size, progress)
        try:
            get(address, arriving, None)
        except OSError as error:  # every error of requests is one, and so is a full disk
            if not type(error).__module__.startswith("requests"):
                raise
            raise DownloadError(
                f"{address} could not be fetched ({_reason(error)}). Nothing was kept. Check the "
                f"connection and try again, or point UNSLANT_DATA to a folder that has the file."
            ) from error
        arriving.check(sha256)


class _Arriving:
    """What arrives, hashed on its way to the disk; more than was announced is refused at once."""

    def __init__(
        self, stream: BinaryIO, address: str, size: int | None, progress: Progress | None
    ) -> None:
        self.stream, self.address, self.size, self.progress = stream, address, size, progress
        self.arrived, self.digest = 0, hashlib.sha256()

    def write(self, block: bytes) -> int:
        """Take the next block."""
        self.arrived += len(block)
        if self.size is not None and self.arrived > self.size:
            raise DownloadError(
                f"{self.address} sends more than the {self.size:,} bytes that the file should "
                f"have. Nothing was kept. Something on the way alters the file."
            )
        if self.progress:
            self.progress("Downloading", self.arrived, self.size or 0)
        self.digest.update(block)
        return self.stream.write(block)

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


def _check_redirect(response: Any, **_: Any) -> None:
    """Follow a server only to addresses that are themselves encrypted."""
    if response.is_redirect:
        _refuse_scheme(urljoin(response.url, response.headers["location"]))


def _refuse_scheme(address: str) -> None:
    if urlsplit(address).scheme not in SCHEMES:
        raise DownloadError(f"{address} was not fetched: only {SCHEMES[0]} addresses are.")


def _reason(error: OSError) -> str:
    """What went wrong in a few words; the network library's own texts fill a screen."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
