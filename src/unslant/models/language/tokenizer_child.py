"""A program that reads an untrusted tokenizer, within limits on memory and time.

It is run by :mod:`unslant.models.language.tokenizer_process` and imports nothing of Unslant, so
that it starts soon. On standard input come a line of JSON and a tokenizer.json, then one line for
each request; each gets one line of JSON on standard output. Whatever a file makes the compiled
library do (panic, abort, take all memory, never return) ends this process only.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

PROBES = (
    "This is a nurse, and she isn't here. ",
    "\ufdfa Éa 你好 😀 1234 ``x'' [MASK] <mask> </s> ▁ \t\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)
MOST_PIECES_PER_LETTER = 64
"""No letter expands to more than 18 letters (NFKC), or 54 bytes, in a real tokenizer."""
_LONGEST_PIECE = 1_024
_LONGEST_WORD = 200
_MOST_STEPS = 20
_MOST_GROWTH = 16
_NORMALISERS = (
    *("Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents", "Strip", "BertNormalizer"),
    *("Replace", "Prepend", "ByteLevel"),
)
_SPLITTERS = (
    *("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "ByteLevel", "Metaspace", "Punctuation"),
    *("Digits", "Split", "CharDelimiterSplit"),
)
_GPT = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_PATTERNS = (
    rf"{_SHORT}\p{{N}}{{1,3}}|{_GPT}",  # Llama 3
    rf"{_SHORT}\p{{N}}|{_GPT}",  # Qwen 2 and 3
)
"""Regular expressions of widespread tokenizers, which do not backtrack without end."""


class TooManyError(BaseException):
    """More pieces than any letters have."""


def main() -> None:
    """Read a tokenizer, say whether it is refused, then answer requests until there are none."""
    given = json.loads(sys.stdin.buffer.readline())
    sys.path[:] = given["path"]
    _limit_memory(given["memory"])
    _limit_time(given["seconds"])
    try:
        if given["folder"]:
            content = _built(given["folder"])
            answer: dict[str, Any] = {"content": content.decode()}
        else:
            content, answer = sys.stdin.buffer.read(given["size"]), {}
        backend = _read(content, given["lower"])
        _try(backend)
        answer["plain"] = False
        with suppress(Exception):  # a file of another shape than these rules know
            answer["plain"] = _is_plain(json.loads(content))
    except BaseException as error:
        _answer({"refused": _reason(error), "is_over": True})
        return
    _answer(answer)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _limit_time(request["seconds"])
        try:
            _answer(_done(backend, request))
        except Exception as error:
            _answer({"refused": _reason(error)})
        except BaseException as error:  # a panic, after which nothing is certain
            _answer({"refused": _reason(error), "is_over": True})
            return


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _reason(error: BaseException) -> str:
    """The reason of a failure; a Rust panic is a BaseException."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time is limited everywhere
        return
    with suppress(ValueError, OSError):  # a lower limit holds already, or there is none (macOS)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limit_time(seconds: float) -> None:
    """Let the system end this process, should the one that waits for it be gone."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (spent + int(seconds) + 2, most))


def _built(folder: str) -> bytes:
    """The tokenizer that transformers builds from files other than tokenizer.json."""
    import os

    os.environ["HF_HUB_OFFLINE"] = "1"
    for heavy in ("torch", "tensorflow", "jax"):  # tokenizers need none, and they start slowly
        sys.modules[heavy] = None  # type: ignore[assignment]
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    text: str = made.backend_tokenizer.to_str()
    return text.encode()


def _read(content: bytes, lower: bool) -> Any:
    from tokenizers import Tokenizer, normalizers

    backend = Tokenizer.from_buffer(content)
    backend.no_padding()
    backend.no_truncation()
    if lower:
        others = [backend.normalizer] if backend.normalizer is not None else []
        backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), *others])
    return backend


def _try(backend: Any) -> None:
    """Use the tokenizer for the first time; an orderly error at a text is left to that text."""
    given: list[Any] = [*PROBES, (PROBES[0], PROBES[1])]
    for item in given:
        with suppress(Exception):
            _check_count(backend.encode_batch([item]), [item])


def _check_count(encoded: list[Any], given: list[Any]) -> None:
    letters = sum(len(text) for item in given for text in item)
    pieces = sum(len(item.ids) for item in encoded)
    if pieces > MOST_PIECES_PER_LETTER * (letters + len(given)):
        raise TooManyError(f"it gives {pieces:,} pieces for {letters:,} letters")


def _done(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    if "texts" not in request:
        return {"vocabulary": backend.get_vocab(with_added_tokens=True)}
    given = [item if isinstance(item, str) else tuple(item) for item in request["texts"]]
    encoded = backend.encode_batch(given, add_special_tokens=request["special"])
    _check_count(encoded, given)
    return {
        "encoded": [
            (item.ids, item.offsets, item.special_tokens_mask, item.type_ids) for item in encoded
        ]
    }


def _is_plain(tokenizer: dict[str, Any]) -> bool:
    """Whether no text can make the tokenizer take long or much memory.

    Then it may be used in the calling process; any other is used in this one. A regular
    expression may backtrack without end, and a chain of replacements may multiply a text.
    """
    normalisers = [*_steps(tokenizer.get("normalizer"), "normalizers")]
    splitters = [*_steps(tokenizer.get("pre_tokenizer"), "pretokenizers")]
    if len(normalisers) + len(splitters) > _MOST_STEPS:
        return False
    growth = 1.0
    for step in normalisers:
        if step.get("type") not in _NORMALISERS:
            return False
        growth *= _growth(step)
    for step in splitters:
        if step.get("type") not in _SPLITTERS or not _is_known_pattern(step):
            return False
        growth *= _growth(step)
    return growth <= _MOST_GROWTH and _is_plain_model(tokenizer["model"])


def _steps(step: Any, inside: str) -> Iterator[dict[str, Any]]:
    if step is None:
        return
    if step.get("type") == "Sequence":
        for part in step[inside]:
            yield from _steps(part, inside)
    else:
        yield step


def _growth(step: dict[str, Any]) -> float:
    """How many times longer a text can get by a step that replaces."""
    if step["type"] == "ByteLevel":
        return 2.0  # a byte beyond ASCII becomes a letter of two bytes
    if step["type"] == "Prepend":
        return 1.0 + len(step["prepend"])
    if step["type"] != "Replace":
        return 1.0
    replaced = step["pattern"].get("String")
    return max(1.0, len(step["content"]) / len(replaced)) if replaced else float("inf")


def _is_known_pattern(step: dict[str, Any]) -> bool:
    if step["type"] != "Split":
        return True
    pattern = step["pattern"]
    return bool(pattern.get("String")) or pattern.get("Regex") in _PATTERNS


def _is_plain_model(model: dict[str, Any]) -> bool:
    vocabulary = model["vocab"]
    pieces = vocabulary if isinstance(vocabulary, dict) else (piece for piece, _ in vocabulary)
    if max(map(len, pieces), default=0) > _LONGEST_PIECE:
        return False
    kind = model.get("type")
    if kind == "WordPiece":  # takes time with the cube of a word's length
        return bool(model.get("max_input_chars_per_word", 100) <= _LONGEST_WORD)
    return kind in ("BPE", "Unigram", "WordLevel")


if __name__ == "__main__":
    main()
