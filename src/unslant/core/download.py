"""Download a file whose size and SHA-256 are known: it arrives whole and right, or not at all.

The bytes are gathered in memory (the files are small and their size is known) and reach the disk
only after their hash agreed, through a temporary file of their own and one rename. So any number
of processes may fetch the same file, and a cut, altered or stalled download leaves nothing.
"""

import hashlib
import io
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pooch

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, atomic_write

TIMEOUT_SECONDS = 30.0
"""How long the server may say nothing."""

SCHEMES = ("https",)


class DownloadError(UnslantError):
    """A file that could not be fetched, or was not what it should be."""


def download(
    address: str, path: Path, *, size: int, sha256: str, progress: Progress | None = None
) -> None:
    """Put the file at ``address`` at ``path`` if it has this size and hash."""
    _refuse_scheme(address)
    if os.environ.get("UNSLANT_OFFLINE", "0") not in ("", "0"):
        raise DownloadError(
            f"{address} was not fetched because UNSLANT_OFFLINE is set. Unset it to go online, or "
            f"point UNSLANT_DATA to a folder that has the file."
        )
    arrived = _Arriving(address, size, progress)
    get = pooch.HTTPDownloader(
        timeout=TIMEOUT_SECONDS, chunk_size=1 << 16, hooks={"response": _check_redirect}
    )
    try:
        get(address, arrived, None)
    except OSError as error:  # every error of requests is one
        raise DownloadError(
            f"{address} could not be fetched ({_reason(error)}). Nothing was kept. Check the "
            f"connection and try again, or point UNSLANT_DATA to a folder that has the file."
        ) from error
    content = arrived.getvalue()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DownloadError(
            f"{address} sent {len(content):,} bytes with the SHA-256 {found[:16]}…; {size:,} bytes "
            f"with {sha256[:16]}… were expected. Nothing was kept. Try again; if it stays so, "
            f"something on the way alters the file."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder {path.parent}: {error.strerror}.") from error
    with atomic_write(path) as stream:
        stream.write(content)


class _Arriving(io.BytesIO):
    """What has arrived; more than was announced is refused at once, not after it filled memory."""

    def __init__(self, address: str, size: int, progress: Progress | None) -> None:
        super().__init__()
        self.address, self.size, self.progress = address, size, progress

    def write(self, block: Any) -> int:
        """Take the next block."""
        if self.tell() + len(block) > self.size:
            raise DownloadError(
                f"{self.address} sends more than the {self.size:,} bytes that the file should "
                f"have. Nothing was kept. Something on the way alters the file."
            )
        if self.progress:
            self.progress("Downloading", self.tell() + len(block), self.size)
        return super().write(block)


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
