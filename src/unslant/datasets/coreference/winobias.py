"""WinoBias (Zhao et al. 2018): a numbered sentence in each line, its mentions in brackets."""

import re
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.text_files import small_text
from unslant.datasets.coreference.document import CorefDocument
from unslant.datasets.coreference.tokens import bracketed

_LARGEST_FILE = 64 << 20
_LINE = re.compile(r"(\d+)\s+(.+)")


def read_winobias(path: Path) -> list[CorefDocument]:
    """A document for each sentence, with one cluster: the occupation and its pronouns."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        parts = _LINE.fullmatch(line.strip())
        if not parts:
            raise FileFormatError(f"{path} line {number:,}: expected a number and a sentence.")
        try:
            words, mentions = bracketed(parts[2])
        except ValueError as error:
            raise FileFormatError(
                f"{path} line {number:,}: {error}. Expected mentions in brackets, such as [The "
                f"nurse]."
            ) from error
        if len(mentions) < 2:
            raise FileFormatError(
                f"{path} line {number:,}: {len(mentions)} mentions in brackets, expected an "
                f"occupation and a pronoun."
            )
        found.append(CorefDocument(parts[1], (words,), (tuple(mentions),)))
    if not found:
        raise FileFormatError(f"{path} contains no sentences.")
    return found
