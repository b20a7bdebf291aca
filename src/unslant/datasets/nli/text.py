"""Lines of text files, plain or gzip, up to a maximum length, and sentences split into tokens."""

import gzip
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple, cast

from unslant.core.compressed import GuardedStream, compression_of
from unslant.core.errors import FileFormatError, UnsafeFileError

# The lines of a text file, plain or gzip, up to a maximum length.

LONGEST_LINE = 1 << 20
"""A pair of sentences with both parse trees takes a few thousand bytes."""

_PIECE = 1 << 16

Tick = Callable[[int], None]
"""Called with the number of bytes read so far."""


class BadLine(Exception):  # noqa: N818 - it is the finding, not yet an error
    """The problem in a line and what was expected; the reader adds the file and the number."""


class Line(NamedTuple):
    """A line in a file: its number from 1 and its bytes, or None if it is too long."""

    number: int
    content: bytes | None

    def text(self) -> str:
        """The line as text."""
        if self.content is None:
            raise BadLine(f"a line of more than {LONGEST_LINE:,} bytes, expected two sentences")
        try:
            # Some programs begin a file with a byte order mark, which is not part of its text.
            return self.content.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise BadLine(
                f"byte {error.start + 1:,} is not valid UTF-8, expected UTF-8 text"
            ) from error


def numbered_lines(path: Path, tick: Tick | None = None) -> Iterator[Line]:
    """Every line of a file without its line break; only line feeds end lines."""
    try:
        with path.open("rb") as raw:
            yield from _lines(_opened(raw, path), raw, tick)
    except UnsafeFileError as error:
        raise UnsafeFileError(
            f"{path} expands to far more than sentences ever do, so Unslant stopped. Decompress "
            f"it yourself if you trust it."
        ) from error
    except OSError as error:
        raise FileFormatError(
            f"Cannot read {path}: {error.strerror or error}. Expected a file of sentence pairs."
        ) from error


def first_line(path: Path) -> str:
    """The first line of a file as text, or an empty string if it is not text."""
    try:
        return next((line.text() for line in numbered_lines(path)), "")
    except BadLine:
        return ""


def _opened(raw: IO[bytes], path: Path) -> IO[bytes]:
    compression = compression_of(raw.read(16))
    raw.seek(0)
    if compression is None:
        return raw
    if compression != "gzip":
        raise FileFormatError(
            f"{path} is compressed as {compression}, expected plain text or gzip. "
            f"Decompress it first."
        )
    unpacked = cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    return cast(IO[bytes], GuardedStream(unpacked, raw, str(path)))


def _lines(stream: IO[bytes], raw: IO[bytes], tick: Tick | None) -> Iterator[Line]:
    number, rest, is_too_long = 0, b"", False
    while piece := stream.read(_PIECE):
        *whole, rest = (rest + piece).split(b"\n")
        for content in whole:
            number += 1
            too_long = is_too_long or len(content) > LONGEST_LINE
            is_too_long = False
            yield Line(number, None if too_long else content.removesuffix(b"\r"))
        if len(rest) > LONGEST_LINE:
            rest, is_too_long = b"", True
        if tick:
            tick(raw.tell())
    if rest or is_too_long:
        yield Line(number + 1, None if is_too_long else rest.removesuffix(b"\r"))


# Split a sentence into tokens: in lower case as word vectors have them, or as they are written.

# Every alternative that scans far is followed by one that consumes what it scanned, so that no
# text makes the search scan the same characters repeatedly.
_PATTERN = r"""
      n't\b | '(?:s|re|ve|ll|d|m)\b           # the clitics of the Penn Treebank
    | [^\W_]+(?=n't\b)                        # and the verb that one stands on: do + n't
    | \d+(?:\.\d+)+                           # 3.5
    | [^\W\d_](?:\.[^\W\d_])+(?!\w)\.?        # u.s. and p.m., but not "street.A"
    | [^\W_]+
    | [^\w\s] | _                             # a sign is a token of its own
    """
_LOWER_CASE = re.compile(_PATTERN, re.VERBOSE)
_ANY_CASE = re.compile(_PATTERN, re.VERBOSE | re.IGNORECASE)

_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
)


def tokenise(sentence: str, *, keeps_case: bool = False) -> list[str]:
    """The tokens of a sentence; hyphens, clitics and signs are separate tokens.

    They are in lower case unless case is kept, for models that read characters.

    Text already tokenised by the Penn Treebank's rules gives the same tokens as the original text,
    including its quotation marks.

    >>> tokenise("The man's T-shirt isn’t red.")
    ['the', 'man', "'s", 't', '-', 'shirt', 'is', "n't", 'red', '.']
    >>> tokenise("A US man ISN'T", keeps_case=True)
    ['A', 'US', 'man', 'IS', "N'T"]
    """
    if not sentence.isascii():
        sentence = unicodedata.normalize("NFC", sentence).translate(_STRAIGHT)
    if "``" in sentence or "''" in sentence:
        sentence = sentence.replace("``", '"').replace("''", '"')
    return _ANY_CASE.findall(sentence) if keeps_case else _LOWER_CASE.findall(sentence.lower())
