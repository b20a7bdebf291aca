"""Pairs of sentences that people rated, such as SICK."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.text_files import small_text

_LARGEST_FILE = 256 << 20
_FIRST, _SECOND, _SCORE = "sentence_A", "sentence_B", "relatedness_score"
_COLUMNS = (_FIRST, _SECOND, _SCORE)


@dataclass(frozen=True)
class RatedSentences:
    """Two sentences and how related people found them."""

    first: str
    second: str
    score: float


def read_rated_sentences(path: Path) -> list[RatedSentences]:
    """The pairs in a tab-separated table in SICK's layout; other columns are ignored."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise FileFormatError(
            f"{path} is not a table of rated sentences. Expected tab-separated columns with the "
            f"names {', '.join(_COLUMNS)} in the first line, as in SICK."
        )
    found = [_pair(row, f"{path} line {rows.line_num:,}") for row in rows]
    if not found:
        raise FileFormatError(f"{path} contains nothing to evaluate.")
    return found


def _pair(row: dict[str, str | None], where: str) -> RatedSentences:
    first, second, text = ((row[name] or "").strip() for name in _COLUMNS)
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not first or not second or not math.isfinite(score):
        raise FileFormatError(
            f"{where}: expected two sentences and a number ({', '.join(_COLUMNS)}). Found "
            f"{first[:30]!r}, {second[:30]!r}, {text[:30]!r}."
        )
    return RatedSentences(first, second, score)
