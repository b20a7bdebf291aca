"""Files that run code when they are unpickled must never be: each is refused by name."""

import ast
import bz2
import gzip
import io
import lzma
import marshal
import os
import pickle  # noqa: TID251 - the attack itself; nothing here is ever loaded but by the control
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import unslant
from unslant.core.errors import UnslantError
from unslant.vectors import load
from unslant.vectors.load import diagnose

ADVICE = re.compile(r"\b([Ss]ave|Extract|Use|Convert|Expected|Name|Create|Remove|[Dd]ownload)\b")


class Payload:
    """Makes a folder when it is unpickled, which is all the proof that is needed."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.canary),)


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(content: bytes, mode: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("vectors.pkl")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def npy(array: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)  # type: ignore[arg-type]
    return stream.getvalue()


def payloads(canary: Path) -> Iterator[tuple[str, bytes]]:
    bomb = Payload(canary)
    raw = [pickle.dumps(bomb, protocol) for protocol in range(6)]
    model = {"vectors": np.ones((2, 2), np.float32), "index": {"a": 0}, "run": bomb}
    objects = np.array([bomb, "word"], dtype=object)
    torch_zip = zipped(
        {"archive/data.pkl": raw[2], "archive/data/0": bytes(16), "archive/version": b"3"}
    )
    names = [
        "model.pkl",
        "vectors.kv",
        "vectors.txt",
        "vectors.bin",
        "glove.vec",
        "vectors.safetensors",
    ]
    yield from zip(names, raw, strict=True)
    yield "gensim.model", pickle.dumps(model, 4)
    yield "gensim-old.model.txt", pickle.dumps(model, 0)
    yield "list.txt", pickle.dumps([bomb], 0)
    yield "dict.vec", pickle.dumps({"a": bomb}, 1)
    yield "tuple.bin", pickle.dumps((1, bomb), 0)
    yield "nested.txt", pickle.dumps([[[{"a": (bomb,)}]]], 1)
    yield "torch.pt", torch_zip
    yield "pytorch_model.bin", torch_zip
    yield "torch.safetensors", torch_zip
    yield "torch-renamed.txt", torch_zip
    yield "torch-legacy.pt", pickle.dumps(0x1950A86A20F9469CFC6C, 2) + raw[2]
    yield "words.npz", npz(words=objects, vectors=np.ones((2, 2)))
    yield "vectors.npz", npz(words=np.array(["a", "b"]), vectors=objects)
    yield "npz-renamed.txt", npz(words=objects, vectors=objects)
    yield "objects.npy", npy(objects)
    yield "packed.pkl.gz", gzip.compress(raw[4])
    yield "packed.txt.xz", lzma.compress(raw[0])
    yield "packed.vec.bz2", bz2.compress(raw[2])
    yield "packed.zip", zipped({"vectors.txt": raw[5]})
    yield "two.zip", zipped({"vectors.txt": raw[0], "data.pkl": raw[0]})
    yield "joblib.txt", zlib.compress(raw[3])
    yield "model.tar", tarred(raw[2], "w")
    yield "model.txt.gz", tarred(raw[2], "w:gz")
    yield "headed.bin", b"2 3\n" + raw[4]
    yield "appended.txt", b"a 0.5 0.5\nb 0.5 0.5\n" + raw[0]
    yield "metadata.safetensors", struct.pack("<Q", 2) + b"{}" + raw[4]
    yield "code.pyc", b"\xa7\r\r\n" + bytes(12) + marshal.dumps(compile("1", "x", "exec"))


NAMES = [name for name, _ in payloads(Path("unused"))]


def test_there_are_thirty_payloads() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 30


@pytest.mark.parametrize("protocol", range(6))
def test_the_payload_would_run_if_it_were_unpickled(tmp_path: Path, protocol: int) -> None:
    canary = tmp_path / "canary"
    pickle.loads(pickle.dumps(Payload(canary), protocol))
    assert canary.exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_payload_is_refused_by_name_and_never_runs(tmp_path: Path, name: str) -> None:
    canary, path = tmp_path / "canary", tmp_path / name
    path.write_bytes(dict(payloads(canary))[name])
    with pytest.raises(UnslantError, match=re.escape(name)) as told:
        load(path)
    assert ADVICE.search(str(told.value)), str(told.value)
    with pytest.raises(UnslantError):
        load(path, cache=False, duplicates="first", undecodable="drop", limit=1)
    assert not diagnose(path).is_sound
    assert not canary.exists()


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_payload_does_not_matter(tmp_path: Path, name: str) -> None:
    canary = tmp_path / "canary"
    content = dict(payloads(canary))[name]
    for ending in (".txt", ".bin", ".vec", ".npz", ".gz", ".zip", ".safetensors", ""):
        path = tmp_path / f"vectors{ending}"
        path.write_bytes(content)
        with pytest.raises(UnslantError):
            load(path, cache=False)
    assert not canary.exists()


# The source itself ----------------------------------------------------------------------------

BANNED_MODULES = {
    "pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "jsonpickle", "marshal",
    "shelve", "yaml",
}  # fmt: skip
BANNED_NAMES = {"eval", "exec", "compile", "__import__"}
BANNED_CALLS = {"torch.load", "yaml.load", "pandas.read_pickle", "pd.read_pickle"}
BANNED_FLAGS = {"allow_pickle", "trust_remote_code"}


def banned_uses(source: str) -> list[str]:
    """Every banned import, call and flag in a piece of Python."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.split(".")[0] in BANNED_MODULES]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")[0]
            found += [module] if module in BANNED_MODULES else []
            found += [a.name for a in node.names if f"{module}.{a.name}" in BANNED_CALLS]
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            found += [called] if called in BANNED_NAMES | BANNED_CALLS else []
            found += [
                keyword.arg
                for keyword in node.keywords
                if keyword.arg in BANNED_FLAGS and ast.unparse(keyword.value) != "False"
            ]
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import pickle", "import yaml as y", "from pickle import loads", "from torch import load",
        "import marshal, os", "eval('1')", "exec('1')", "compile('1', '', 'exec')",
        "__import__('os')", "torch.load('x')", "np.load('x', allow_pickle=True)",
        "np.load('x', allow_pickle=flag)", "Model('x', trust_remote_code=True)",
        "yaml.load('x')", "import shelve",
    ],
)  # fmt: skip
def test_a_banned_use_would_be_found(source: str) -> None:
    assert len(banned_uses(source)) == 1


def test_the_package_has_no_banned_use() -> None:
    files = sorted(Path(unslant.__file__).parent.rglob("*.py"))
    assert len(files) > 50
    assert {str(file): uses for file in files if (uses := banned_uses(file.read_text()))} == {}
