"""Tokenizers from untrusted files, read and first used in a separate process."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.core.extras import extra_for
from unslant.models.language.folder import TOKENIZER, TOKENIZER_PARTS, ModelFolder

_CHILD = Path(__file__).with_name("tokenizer_child.py")
LARGEST = 64 << 20
"""Tokenizers of large vocabularies take about 30 MB."""
_MEMORY = 512 << 20
_MEMORY_PER_BYTE = 64
"""A vocabulary of 260,000 pieces needed up to 35 times the size of its file."""
_PATIENCE = 5.0
_BYTES_A_SECOND = 1 << 20
_PATIENCE_BUILDING = 60.0
"""transformers alone takes seconds to import, on a busy machine many."""
LETTERS_A_SECOND = 20_000
"""Real tokenizers are 50 times as fast, so a busy machine does not cause a refusal."""
_MOST_CHECKED = 1_000
_checked: dict[tuple[str, bool], None] = {}
"""The hashes of tokenizers that this process found plain, so that each is tried only once."""


class Encoded(NamedTuple):
    """A text in pieces, with the names that the tokenizers library uses."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    special_tokens_mask: list[int]
    type_ids: list[int]


class TokenizerProcess:
    """A tokenizer that is used in a process with limits on memory and time.

    The process is ended when it needs too much of either, and started again for the next text.
    """

    def __init__(self, content: bytes, *, lower: bool, folder: str = "") -> None:
        self._content, self._lower, self._folder = content, lower, folder
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        with self._lock:
            answer = self._start()
        self.is_plain = bool(answer["plain"])
        if folder:
            self._content, self._folder = answer["content"].encode(), ""

    @property
    def content(self) -> bytes:
        """The tokenizer.json."""
        return self._content

    def no_padding(self) -> None:
        """Nothing is padded."""

    def no_truncation(self) -> None:
        """Nothing is cut off."""

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Every piece with its number."""
        found = self._ask({}, _PATIENCE + len(self._content) / _BYTES_A_SECOND)["vocabulary"]
        return dict(found)

    def encode_batch(
        self, given: Sequence[str] | Sequence[tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Encoded]:
        """The pieces of texts, or of pairs of texts; TimeoutError if that takes too long."""
        letters = sum(len(text) for item in given for text in item)
        request = {"texts": list(given), "special": add_special_tokens}
        answer = self._ask(request, _PATIENCE + letters / LETTERS_A_SECOND)
        return [
            Encoded(ids, [(first, last) for first, last in offsets], special, types)
            for ids, offsets, special, types in answer["encoded"]
        ]

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        with self._lock:
            if self._process is None or self._owner != os.getpid():  # another's after a fork
                self._start()
            return self._answer({**request, "seconds": seconds}, b"", seconds)

    def _start(self) -> dict[str, Any]:
        size = len(self._content) or _size_of(self._folder)
        seconds = _PATIENCE + size / _BYTES_A_SECOND
        if self._folder:
            seconds += _PATIENCE_BUILDING
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a panic writes there
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
            env={**os.environ, "TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"},
        )
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _ended, self._process, self._owner)
        header = {
            "path": [folder for folder in sys.path if folder],
            "size": len(self._content),
            "folder": self._folder,
            "memory": _MEMORY + _MEMORY_PER_BYTE * size,
            "seconds": seconds,
            "lower": self._lower,
        }
        return self._answer(header, self._content, seconds)

    def _answer(self, request: dict[str, Any], content: bytes, seconds: float) -> dict[str, Any]:
        """One answer of the process, or an error; it then has ended."""
        process = self._process
        assert process is not None
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            line = _exchanged(process, request, content)
        except BaseException:  # Ctrl-C: the next answer would belong to this request
            self._end()
            raise
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            if "refused" not in answer:
                return answer
            if "is_over" in answer:
                self._end()
            raise RuntimeError(answer["refused"])
        self._end()
        if is_late.is_set():
            raise TimeoutError(f"no result after {seconds:.0f} seconds")
        raise RuntimeError("it ended the process that read it, or needed too much memory")

    def _end(self) -> None:
        if self._process is not None:
            self._process = None
            self._finalizer()


def _exchanged(process: subprocess.Popen[bytes], request: dict[str, Any], content: bytes) -> bytes:
    out, back = _pipes(process)
    try:
        out.write(json.dumps(request).encode() + b"\n")
        out.write(content)
        out.flush()
        return back.readline()
    except OSError:  # it has ended meanwhile
        return b""


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _ended(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner != os.getpid():  # after a fork it is the other's
        return
    process.kill()
    for pipe in _pipes(process):
        try:
            pipe.close()
        except OSError:  # unwritten output to a process that has ended
            continue
    process.wait()


def _size_of(folder: str) -> int:
    return sum(file.stat().st_size for file in Path(folder).iterdir())


def read_backend(folder: ModelFolder, *, lower: bool) -> Any:
    """The tokenizer in a folder: tokenizer.json, or what transformers builds from other files.

    It is tried in a process of its own first. One that no text can make slow or large is then used
    in this process, read from the same bytes.
    """
    tokenizers = extra_for("A language model", "tokenizers", "lm")
    path = folder.path / TOKENIZER
    if TOKENIZER in folder.parts:
        content = folder.files.read(TOKENIZER, LARGEST)
        key = hashlib.sha256(content).hexdigest(), lower
        if key not in _checked:
            try:
                process = TokenizerProcess(content, lower=lower)
            except (RuntimeError, TimeoutError) as error:
                raise DamagedFileError(
                    f"{path} is not a tokenizer that can be used ({error}). Copy it again."
                ) from error
            if not process.is_plain:
                return process
            process.close()
    else:
        process = _built(folder, lower)
        if not process.is_plain:
            return process
        process.close()
        content = process.content
        key = hashlib.sha256(content).hexdigest(), lower
    if len(_checked) < _MOST_CHECKED:
        _checked[key] = None
    backend = tokenizers.Tokenizer.from_buffer(content)
    if lower:
        rules = tokenizers.normalizers
        others = [backend.normalizer] if backend.normalizer is not None else []
        backend.normalizer = rules.Sequence([rules.Lowercase(), *others])
    return backend


def _built(folder: ModelFolder, lower: bool) -> TokenizerProcess:
    """The tokenizer that transformers makes of copies of the files that the model's hash covers."""
    parts = [name for name in TOKENIZER_PARTS if name in folder.parts]
    if not any(
        name.startswith(("vocab", "spiece", "spm", "sentencepiece", "tokenizer.model"))
        for name in parts
    ):
        raise _none(folder)
    extra_for("A language model", "transformers", "lm")
    with tempfile.TemporaryDirectory(prefix="unslant-tokenizer-") as copies:
        for name in parts:
            (Path(copies) / name).write_bytes(folder.files.read(name, LARGEST))
        try:
            return TokenizerProcess(b"", lower=lower, folder=copies)
        except (RuntimeError, TimeoutError) as error:
            raise DamagedFileError(
                f"{folder.path}: the tokenizer files cannot be read ({error})."
            ) from error


def _none(folder: ModelFolder) -> UnslantError:
    return FileFormatError(
        f"{folder.path} has no tokenizer. Expected {TOKENIZER}; save it there with transformers: "
        f"AutoTokenizer.from_pretrained(…).save_pretrained('{folder.path}')."
    )
