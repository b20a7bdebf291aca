"""Arrays in a file with a hash of its content, so that a changed bit is detected on reading."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.core.visible import legible

Tensors = dict[str, NDArray[Any]]
Header = dict[str, str]
T = TypeVar("T")

_SEAL = "seal"
_SHOWN = 300


@dataclass(frozen=True)
class Kind:
    """A kind of sealed file, and the messages for files that are not one or are damaged."""

    mark: str
    what: str
    foreign: str
    remedy: str

    def read(self, path: Path, understood: Callable[[Tensors, Header], T]) -> T:
        """The object made from the arrays and the header of a file, or an error with the reason."""
        try:
            if not _may_be_sealed(path):
                raise FileFormatError(f"{path} {self.foreign}")
            tensors, header = _opened(path)
            # The kind is checked before the seal: a sealed file of another kind is intact, so it
            # must be reported as the wrong file and not as a damaged one.
            if header.get("kind") != self.mark:
                raise FileFormatError(f"{path} {self.foreign}")
            _check_seal(tensors, header)
            return understood(tensors, header)
        except FileNotFoundError as error:
            raise FileFormatError(f"{path} does not exist.") from error
        except OSError as error:
            raise FileFormatError(f"Cannot read {path}: {error.strerror or error}.") from error
        # Before the list below, which contains its base class: a foreign file is not damaged.
        except FileFormatError:
            raise
        # Everything that arbitrary bytes can raise in safetensors, json and ``understood``. A
        # MemoryError is left out on purpose: it says nothing about the file.
        except (
            SafetensorError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RecursionError,
            UnslantError,
        ) as error:
            raise DamagedFileError(
                f"{path} is not a complete {self.what} ({_in_short(error)}). {self.remedy}"
            ) from error


def _in_short(error: Exception) -> str:
    """An error's text, without line breaks or lengths that a hostile file could inject."""
    text = str(error).removesuffix(".")
    return legible(text, _SHOWN) + ("…" if len(text) > _SHOWN else "")


def sealed(tensors: Mapping[str, NDArray[Any]], header: Mapping[str, str]) -> bytes:
    """The content of a file with these arrays and this header."""
    # safetensors writes the memory of an array unchanged, whatever its order.
    arrays = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    # The seal covers values, not the file: reordering the header afterwards does not break it.
    return _ordered(save(arrays, metadata={**header, _SEAL: _seal(arrays, header)}))


def _opened(path: Path) -> tuple[Tensors, Header]:
    with safe_open(path, framework="numpy") as opened:
        header = dict(opened.metadata() or {})
        return {name: opened.get_tensor(name) for name in opened.keys()}, header  # noqa: SIM118


def _check_seal(tensors: Tensors, header: Header) -> None:
    """Remove the seal from the header; ValueError unless it matches everything else.

    A file without one is refused too: a changed bit in the name of the seal would remove it.
    """
    stored = header.pop(_SEAL, None)
    if stored is None:
        raise ValueError("it has no checksum")
    if stored != _seal(tensors, header):
        raise ValueError("its content does not match its checksum")


def _may_be_sealed(path: Path) -> bool:
    """Whether a file begins like safetensors: the length of a JSON object, and the object."""
    if path.exists() and not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(9)[8:] == b"{"


def _ordered(file: bytes) -> bytes:
    """The file with its header in a fixed order, which safetensors does not guarantee."""
    end = 8 + int.from_bytes(file[:8], "little")
    facts = json.loads(file[8:end])
    facts["__metadata__"] = dict(sorted(facts["__metadata__"].items()))
    plain = json.dumps(facts, separators=(",", ":"), ensure_ascii=False).encode()
    # safetensors aligns the data that follows to 8 bytes and pads its header with spaces; without
    # the padding, readers that map the file would get unaligned arrays.
    plain += b" " * (-len(plain) % 8)
    return len(plain).to_bytes(8, "little") + plain + file[end:]


def _seal(tensors: Mapping[str, NDArray[Any]], header: Mapping[str, str]) -> str:
    # Names, types and shapes are hashed too: the same bytes under another shape, or two arrays with
    # their names exchanged, are a different content.
    facts = [[name, str(value.dtype), value.shape] for name, value in sorted(tensors.items())]
    digest = hashlib.sha256(json.dumps([sorted(header.items()), facts]).encode())
    for _, value in sorted(tensors.items()):
        digest.update(value.tobytes())
    return digest.hexdigest()


# Plain values with a hash of themselves, so that a changed bit is detected on reading.


def with_seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """The values, and the hash of them as JSON.

    >>> sealed = with_seal({"words": 3})
    >>> without_seal(sealed)
    {'words': 3}
    >>> without_seal({**sealed, "words": 4})
    Traceback (most recent call last):
    ValueError: its content does not match its checksum
    """
    return {**content, _SEAL: _hash(content)}


def without_seal(content: Any) -> dict[str, Any]:
    """The values, if their hash is right."""
    if not isinstance(content, dict):
        raise TypeError("it is not a table")
    values = {key: value for key, value in content.items() if key != _SEAL}
    if content.get(_SEAL) != _hash(values):
        raise ValueError("its content does not match its checksum")
    return values


def _hash(content: Mapping[str, Any]) -> str:
    # Sorted keys and Python's shortest float representation make the text, and so the hash, the
    # same after a round trip through a file.
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
