"""Weights in a file that carries a hash of all it holds: a changed bit is noticed when read."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save

Tensors = dict[str, NDArray[np.float32]]

_SEAL = "seal"


def sealed(tensors: Mapping[str, NDArray[np.float32]], header: Mapping[str, str]) -> bytes:
    """The file of these arrays with this header."""
    # safetensors writes the memory of an array as it lies.
    arrays = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    return _ordered(save(arrays, metadata={**header, _SEAL: _seal(arrays, header)}))


def unsealed(path: Path) -> tuple[Tensors, dict[str, str]]:
    """The arrays and the header of a file; ValueError where they are not what was written.

    A file of another making has no seal; what it has is returned, for the caller to judge.
    """
    with safe_open(path, framework="numpy") as opened:
        header = dict(opened.metadata() or {})
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    found = header.pop(_SEAL, None)
    if found is not None and found != _seal(tensors, header):
        raise ValueError("its content is not what was written")
    return tensors, header


def _ordered(file: bytes) -> bytes:
    """The file with its header in one order; safetensors writes it in another each time."""
    end = 8 + int.from_bytes(file[:8], "little")
    facts = json.loads(file[8:end])
    facts["__metadata__"] = dict(sorted(facts["__metadata__"].items()))
    plain = json.dumps(facts, separators=(",", ":"), ensure_ascii=False).encode()
    plain += b" " * (-len(plain) % 8)
    return len(plain).to_bytes(8, "little") + plain + file[end:]


def _seal(tensors: Mapping[str, NDArray[np.float32]], header: Mapping[str, str]) -> str:
    facts = [[name, str(value.dtype), value.shape] for name, value in sorted(tensors.items())]
    digest = hashlib.sha256(json.dumps([sorted(header.items()), facts]).encode())
    for _, value in sorted(tensors.items()):
        digest.update(value.tobytes())
    return digest.hexdigest()
