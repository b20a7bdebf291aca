"""Public files that are used but not shipped, each pinned by its size and SHA-256.

A file is looked for in a folder that the caller names, in the folder that ``UNSLANT_DATA`` names
and among what ``unslant data fetch`` has downloaded. Wherever it is found, it is used only if it
is byte for byte the file of the registry; nothing is ever downloaded without being asked for.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import Progress, sha256_of_file
from unslant.core.folders import cache_folder, data_folder


class MissingDatasetError(UnslantError):
    """A public file that is in none of the places where it was looked for."""


class WrongFileError(UnslantError):
    """A file that has the name of a pinned one and other content."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One public file: where it comes from, what it must be, and under which terms."""

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
        """Where ``unslant data fetch`` puts it: named by content, so versions never mix."""
        return cache_folder() / "downloads" / f"{self.sha256[:12]}-{Path(self.path).name}"

    def places(self, folder: Path | None = None) -> Iterator[Path]:
        """Every path where the file may be, in the order in which they are tried."""
        for root in filter(None, (folder, data_folder())):
            yield from (root / self.local, root / self.path, root / Path(self.path).name)
        yield self.download

    def check(self, path: Path) -> None:
        """Refuse a file that is not byte for byte this one."""
        size = path.stat().st_size
        found = sha256_of_file(path) if size == self.bytes else None
        if found != self.sha256:
            what = f"{size:,} bytes" if found is None else f"the SHA-256 {found[:16]}…"
            wanted = f"{self.bytes:,} bytes" if found is None else f"{self.sha256[:16]}…"
            raise WrongFileError(
                f"{path} is not the file that {self.name} stands for: it has {what}, not {wanted}. "
                f"Remove it, or fetch the right one with: unslant data fetch {self.name}"
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
    """The first copy of a file, checked; None where there is none."""
    wanted = dataset(name)
    for path in wanted.places(folder):
        if path.is_file():
            wanted.check(path)
            return path
    return None


def find(name: str, folder: Path | None = None) -> Path:
    """The file called ``name``, byte for byte as pinned; where it is absent, how to get it."""
    found = locate(name, folder)
    if found is not None:
        return found
    wanted = dataset(name)
    places = [str(root) for root in (folder, data_folder()) if root is not None]
    unset = "" if data_folder() else " (UNSLANT_DATA is not set)"
    raise MissingDatasetError(
        f"{name} ({wanted.cite}) is not here: looked in "
        f"{' and '.join([*places, str(wanted.download.parent)])}{unset}. Fetch its "
        f"{wanted.bytes:,} bytes with: unslant data fetch {name} — or set UNSLANT_DATA to a folder "
        f"that holds {wanted.local}."
    )


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Download the file called ``name`` unless a good copy of it was downloaded before."""
    wanted = dataset(name)
    path = wanted.download
    if path.is_file():
        try:
            wanted.check(path)
        except (WrongFileError, FileNotFoundError):
            pass  # damaged or cleared away since; it is ours, so it is fetched anew
        else:
            return path
    # The network is needed here only; importing it takes longer than the rest of the package.
    from unslant.datasets.download import download

    download(wanted.address, path, size=wanted.bytes, sha256=wanted.sha256, progress=progress)
    return path
