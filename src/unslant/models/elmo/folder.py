"""A folder with an ELMo: its options and its weights, as they were released."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.core.extras import extra_for, torch_for
from unslant.core.types import Matrix
from unslant.models.elmo.options import ElmoOptions, read_options
from unslant.models.language.folder import OPTIONS, Shape
from unslant.models.language.opened import FolderFiles

# Arrays from an untrusted HDF5 file.
#
# HDF5 can lead out of a file (external and virtual data, links) and load compiled code (filters).
# None of that is in released weights, so all of it is refused: each array has to be reached by
# plain links, to be stored in one piece, and to have the shape and type that were expected before
# any memory of that size is taken.

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


# Which arrays an ELMo's file has, and which parameters of the network they become.
#
# TensorFlow stores matrices as input × output, torch as output × input; the four gates of an LSTM
# stand in the order input, new, forget, output, and a forget gate's bias lacks the 1 that
# TensorFlow adds when it runs.

Made = Callable[[Matrix], Matrix]
DIRECTIONS = ("ahead", "back")
"""The network's names for the first and second LSTM of each layer in the file."""


@dataclass(frozen=True)
class StoredWeights:
    """An array in the file: its name, its shape, and the parameters it fills."""

    name: str
    shape: Shape
    parameters: Mapping[str, Made]


def stored_arrays(options: ElmoOptions) -> Iterator[StoredWeights]:
    """Every array that these options ask for."""
    yield StoredWeights(
        "char_embed",
        (261, options.character_width),
        {"chars.characters.weight": lambda table: np.pad(table, ((1, 0), (0, 0)))},
    )
    for number, (width, count) in enumerate(options.filters):
        begin = f"chars.convolutions.{number}"
        shape = (1, width, options.character_width, count)
        yield StoredWeights(f"CNN/W_cnn_{number}", shape, {f"{begin}.weight": lambda w: w[0].T})
        yield StoredWeights(f"CNN/b_cnn_{number}", (count,), {f"{begin}.bias": _same})
    wide = options.convolved
    for number in range(options.highways):
        for stored, own in (("transform", "new"), ("carry", "gate")):
            begin = f"chars.highways.{number}.{own}"
            yield from _product(f"CNN_high_{number}", stored, begin, (wide, wide))
    yield from _product("CNN_proj", "proj", "chars.projection", (wide, options.width))
    for way, direction in enumerate(DIRECTIONS):
        for layer in range(options.layers):
            group = f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            yield from _lstm(group, f"lstm.{layer}.{direction}", options)


def too_many(options: ElmoOptions) -> tuple[str, ...]:
    """Names that the file would have if the options left out a layer."""
    return (
        f"CNN/W_cnn_{len(options.filters)}",
        f"CNN_high_{options.highways}",
        f"RNN_0/RNN/MultiRNNCell/Cell{options.layers}",
    )


def network(path: Path, options: ElmoOptions) -> Any:
    """The network in evaluation mode, with every parameter from the file."""
    torch = torch_for("An ELMo")
    from unslant.models.elmo.network import ElmoNetwork

    with torch.device("meta"):
        net = ElmoNetwork(options)
    net = net.to_empty(device="cpu")
    waiting = dict(net.state_dict())
    wanted = {item.name: item for item in stored_arrays(options)}
    for name, array in arrays(path, {name: item.shape for name, item in wanted.items()}):
        for parameter, made in wanted[name].parameters.items():
            with torch.no_grad():
                waiting.pop(parameter).copy_(torch.from_numpy(np.ascontiguousarray(made(array))))
    assert not waiting, f"no array for {sorted(waiting)}"
    net.train(False)
    net.requires_grad_(False)
    return net


def _same(array: Matrix) -> Matrix:
    return array


def _turned(array: Matrix) -> Matrix:
    return array.T


def _product(group: str, name: str, begin: str, shape: Shape) -> Iterator[StoredWeights]:
    yield StoredWeights(f"{group}/W_{name}", shape, {f"{begin}.weight": _turned})
    yield StoredWeights(f"{group}/b_{name}", shape[1:], {f"{begin}.bias": _same})


def _lstm(group: str, begin: str, options: ElmoOptions) -> Iterator[StoredWeights]:
    width, cells = options.width, options.cells

    def with_forget_bias(bias: Matrix) -> Matrix:
        bias = bias.copy()
        bias[2 * cells : 3 * cells] += 1
        return bias

    both = {
        f"{begin}.input.weight": lambda w: w[:width].T,
        f"{begin}.recurrent.weight": lambda w: w[width:].T,
    }
    yield StoredWeights(f"{group}/W_0", (2 * width, 4 * cells), both)
    yield StoredWeights(f"{group}/B", (4 * cells,), {f"{begin}.input.bias": with_forget_bias})
    yield StoredWeights(f"{group}/W_P_0", (cells, width), {f"{begin}.projection.weight": _turned})


NLI = "nli.safetensors"
"""The file in an ELMo's folder with the inference model that was trained on it."""


@dataclass(frozen=True, kw_only=True)
class ElmoFolder:
    """An ELMo's files; the headers of the weights agree with the options."""

    path: Path
    weights: Path
    options: ElmoOptions
    files: FolderFiles

    @property
    def name(self) -> str:
        """The model's name in records and messages."""
        return self.path.resolve().name

    @property
    def nli(self) -> Path | None:
        """The file of the inference model that was trained on it, if there is one."""
        return self.files.checked(NLI) if NLI in self.files else None

    def sha256(self) -> str:
        """A hash of the options and the weights, and of the inference model if there is one."""
        if self.nli is None:
            return self.elmo_sha256()
        both = f"{self.elmo_sha256()}\n{self.files.sha256(NLI)}"
        return hashlib.sha256(both.encode()).hexdigest()

    def elmo_sha256(self) -> str:
        """A hash of the options and of the weights."""
        digest = hashlib.sha256(b"unslant elmo 1\n")
        for name in (OPTIONS, self.weights.name):
            digest.update(f"{self.files.sha256(name)}\n".encode())
        return digest.hexdigest()


def read_elmo_folder(path: Path) -> ElmoFolder:
    """The folder at a path, with its options and the header of its weights checked."""
    files = FolderFiles(path)
    options = read_options(files)
    weights = _weights(path)
    shapes = {item.name: item.shape for item in stored_arrays(options)}
    with files.unchanged(weights.name):
        check(weights, shapes, too_many(options))
    return ElmoFolder(path=path, weights=weights, options=options, files=files)


def _weights(folder: Path) -> Path:
    """The one HDF5 file, or the one that is called weights if there are several."""
    files = sorted(folder.glob("*.hdf5"))
    named = [file for file in files if file.stem.endswith("weights")]
    chosen = named or files
    if len(chosen) != 1:
        found = ", ".join(file.name for file in chosen[:5]) or "none"
        raise FileFormatError(
            f"{folder} must hold one file of weights, such as weights.hdf5, beside options.json. "
            f"Found {found}."
        )
    return chosen[0]
