"""The vectors of a cell on the machine that computes it: found by content, loaded once."""

from functools import lru_cache
from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.folders import cache_folder
from unslant.datasets.download import download
from unslant.studies.plan.cells import PlannedResource
from unslant.vectors import WordVectors, load
from unslant.vectors.builtin import BUILTIN

_KEPT_OPEN = 4


def vectors_of(resource: PlannedResource, sha256: str) -> WordVectors:
    """The vectors whose file has this SHA-256, wherever this machine has or can get them."""
    if resource.path == BUILTIN:
        return load().head(resource.limit) if resource.limit else load()
    return _loaded(_place(resource, sha256), resource.limit)


def _place(resource: PlannedResource, sha256: str) -> Path:
    """A file with the right content: at the plan's path, in the cache, or fetched."""
    path = Path(resource.path) if resource.path else None
    if path is not None and path.is_file():
        if _sha256(path) == sha256:
            return path
        raise UnslantError(
            f"{path} is not the file that the study was planned with (its SHA-256 is not "
            f"{sha256[:16]}…). Put the same file there, or run the study anew."
        )
    name = Path(resource.url.rpartition("/")[2] or resource.path).name
    kept = cache_folder() / "downloads" / f"{sha256[:12]}-{name}"
    if kept.is_file() and _sha256(kept) == sha256:
        return kept
    if resource.url:
        download(resource.url, kept, sha256=sha256)
        return kept
    raise UnslantError(
        f'The vectors "{resource.label}" are not on this machine: neither {resource.path} nor '
        f"{kept} exists. Put the file in one of these places, or give the resource a url."
    )


def _sha256(path: Path) -> str:
    """The hash of a file, found once as long as the file stays as it is."""
    facts = path.stat()
    return _hashed(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _hashed(path: Path, size: int, modified: int) -> str:
    return sha256_of_file(path)


@lru_cache(maxsize=_KEPT_OPEN)
def _loaded(path: Path, limit: int | None) -> WordVectors:
    return load(path, limit=limit)
