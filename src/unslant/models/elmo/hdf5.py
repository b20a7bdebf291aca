"""Arrays from an untrusted HDF5 file.

HDF5 can lead out of a file (external and virtual data, links) and load compiled code (filters).
None of that is in released weights, so all of it is refused: each array has to be reached by plain
links, to be stored in one piece, and to have the shape and type that were expected before any
memory of that size is taken.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import DamagedFileError, UnsafeFileError
from unslant.core.extras import extra_for
from unslant.core.types import Matrix
from unslant.models.language.folder import Shape

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_LARGEST = 16 << 30
_BYTES = 4


def check(path: Path, shapes: Mapping[str, Shape], absent: Sequence[str] = ()) -> None:
    """Refuse a file without these arrays, or with objects that it must not have.

    Only headers are read.
    """
    with _opened(path, shapes) as get:
        for name, shape in shapes.items():
            get(name, shape)
    with _opened(path, {}) as get:
        for name in absent:
            if get(name, None) is not None:
                raise DamagedFileError(
                    f"{path} contains {name}, which options.json does not ask for."
                )


def arrays(path: Path, shapes: Mapping[str, Shape]) -> Iterator[tuple[str, Matrix]]:
    """The arrays one by one, each in memory of its own."""
    with _opened(path, shapes) as get:
        for name, shape in shapes.items():
            array: Matrix = np.empty(shape, np.float32)
            get(name, shape).read_direct(array)
            if not np.isfinite(array).all():
                raise DamagedFileError(f"{path}: {name} contains a number that is not finite.")
            yield name, array


@contextmanager
def _opened(
    path: Path, shapes: Mapping[str, Shape]
) -> Iterator[Callable[[str, Shape | None], Any]]:
    """A function that returns checked arrays; any failure inside means a damaged file."""
    h5py = extra_for("An ELMo", "h5py", "lm")
    _check_size(path, sum(prod(shape) for shape in shapes.values()))
    try:
        with h5py.File(path, "r", locking=False) as file:

            def get(name: str, shape: Shape | None) -> Any:
                found = _followed(h5py, file, name, path)
                if shape is not None:
                    _check_array(h5py, found, name, shape, path)
                return found

            yield get
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise DamagedFileError(
            f"{path} is not a whole HDF5 file ({reason}). Copy or download it again."
        ) from error


def _check_size(path: Path, numbers: int) -> None:
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            begins = stream.read(len(_SIGNATURE))
    except OSError as error:
        raise DamagedFileError(f"{path} cannot be read: {error.strerror}.") from error
    if begins != _SIGNATURE:
        raise DamagedFileError(f"{path} is not an HDF5 file. Copy or download it again.")
    if size > _LARGEST:
        raise DamagedFileError(f"{path} is larger than {_LARGEST >> 30} GB: no weights of an ELMo.")
    if numbers * _BYTES > size:
        raise DamagedFileError(
            f"options.json asks for {numbers * _BYTES:,} bytes of weights, but {path} has "
            f"{size:,}. They do not belong together, or the file is cut off."
        )


def _followed(h5py: Any, file: Any, name: str, path: Path) -> Any:
    """The target of a name, following hard links only; None if nothing has that name."""
    here = file
    for part in name.split("/"):
        link = here.get(part, getlink=True) if isinstance(here, h5py.Group) else None
        if link is None:
            return None
        if not isinstance(link, h5py.HardLink):
            raise UnsafeFileError(
                f"{path}: {name} is a link that may lead out of the file. Released weights have "
                f"none; use the original file."
            )
        here = here[part]
    return here


def _check_array(h5py: Any, found: Any, name: str, shape: Shape, path: Path) -> None:
    if not isinstance(found, h5py.Dataset):
        raise DamagedFileError(f"{path} has no array {name}, which options.json asks for.")
    stored = found.id.get_create_plist()
    is_plain = (
        stored.get_layout() == h5py.h5d.CONTIGUOUS
        and stored.get_nfilters() == 0
        and stored.get_external_count() == 0
    )
    if not is_plain:
        raise UnsafeFileError(
            f"{path}: {name} is compressed, in chunks or in another file. Released weights are "
            f"not; use the original file."
        )
    if found.shape != shape:
        raise DamagedFileError(
            f"{path}: {name} has the shape {found.shape}, but options.json asks for {shape}."
        )
    if found.dtype != np.dtype("<f4") or found.id.get_storage_size() != _BYTES * prod(shape):
        raise DamagedFileError(f"{path}: {name} must hold {prod(shape):,} numbers of 32 bits.")
