"""Public files that are used but not bundled, each pinned by its size and SHA-256.

A file is searched for in a folder given by the caller, in the folder set in ``UNSLANT_DATA`` and
among the files downloaded by ``unslant files fetch``. It is used only if it is byte for byte the
file in the registry; nothing is downloaded unless requested.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import Progress, cache_folder, data_folder, sha256_of_file


class MissingDatasetError(UnslantError):
    """A public file that was not found in any of the searched places."""


class WrongFileError(UnslantError):
    """A file with the name of a pinned file but different content."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One public file: its source, size, hash and licence."""

    name: str
    repository: str
    commit: str
    path: str
    local: str
    bytes: int
    sha256: str
    licence: str
    cite: str

    @property
    def address(self) -> str:
        """The raw file in its public code repository, at the pinned commit."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    @property
    def download(self) -> Path:
        """Where ``unslant files fetch`` puts it: named by content, so versions never mix."""
        return cache_folder() / "downloads" / f"{self.sha256[:12]}-{Path(self.path).name}"

    def places(self, folder: Path | None = None) -> Iterator[Path]:
        """Every path where the file may be, in the order of the search."""
        for root in filter(None, (folder, data_folder())):
            yield from (root / self.local, root / self.path, root / Path(self.path).name)
        yield self.download

    def check(self, path: Path) -> None:
        """Raise an error for a file that is not byte for byte this one."""
        size = path.stat().st_size
        digest = sha256_of_file(path) if size == self.bytes else None
        if digest != self.sha256:
            what = f"{size:,} bytes" if digest is None else f"the SHA-256 {digest[:16]}…"
            wanted = f"{self.bytes:,} bytes" if digest is None else f"{self.sha256[:16]}…"
            raise WrongFileError(
                f"{path} is not the expected file for {self.name}: it has {what}, not {wanted}. "
                f"Remove it, or get the correct one with: unslant files fetch {self.name}"
            )


@cache
def datasets() -> dict[str, Dataset]:
    """Every file of the registry by name."""
    text = (files("unslant.datasets") / "data" / "datasets.toml").read_text(encoding="utf-8")
    return {entry["name"]: Dataset(**entry) for entry in tomllib.loads(text)["file"]}


def dataset(name: str) -> Dataset:
    """The file called ``name``.

    >>> dataset("similarity/men").cite
    'Bruni et al. 2012; collected by Faruqui & Dyer 2014'
    """
    if name not in datasets():
        raise UnknownNameError("dataset", name, datasets())
    return datasets()[name]


def locate(name: str, folder: Path | None = None) -> Path | None:
    """The first copy of a file, checked; None if there is none."""
    wanted = dataset(name)
    for path in wanted.places(folder):
        if path.is_file():
            wanted.check(path)
            return path
    return None


def find(name: str, folder: Path | None = None) -> Path:
    """The file called ``name``, byte for byte as pinned, or an error that says how to get it."""
    found = locate(name, folder)
    if found is not None:
        return found
    wanted = dataset(name)
    places = [str(root) for root in (folder, data_folder()) if root is not None]
    unset = "" if data_folder() else " (UNSLANT_DATA is not set)"
    raise MissingDatasetError(
        f"{name} ({wanted.cite}) was not found in "
        f"{' and '.join([*places, str(wanted.download.parent)])}{unset}. Download its "
        f"{wanted.bytes:,} bytes with: unslant files fetch {name} — or set UNSLANT_DATA to a "
        f"folder that contains {wanted.local}."
    )


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Download the file called ``name`` unless a correct copy was downloaded before."""
    wanted = dataset(name)
    path = wanted.download
    if path.is_file():
        try:
            wanted.check(path)
        except (WrongFileError, FileNotFoundError):
            pass  # damaged or removed since; it is in our cache, so download it again
        else:
            return path
    # Only this needs the network; importing it takes longer than the rest of the package.
    from unslant.datasets.download import download

    download(wanted.address, path, size=wanted.bytes, sha256=wanted.sha256, progress=progress)
    return path
