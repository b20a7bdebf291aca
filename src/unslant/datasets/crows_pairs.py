"""CrowS-Pairs: sentences that differ in the group they are about (Nangia et al. 2020)."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.text_files import small_text

_LARGEST_FILE = 64 << 20
_MORE, _LESS, _DIRECTION, _KIND = "sent_more", "sent_less", "stereo_antistereo", "bias_type"
_COLUMNS = (_MORE, _LESS, _DIRECTION, _KIND)
DIRECTIONS = ("stereo", "antistereo")


@dataclass(frozen=True)
class CrowsPair:
    """Two sentences, of which the first is the more stereotyped; released files have empty ones.

    ``direction`` is "stereo" if the first is about the disadvantaged group, else "antistereo".
    """

    more: str
    less: str
    direction: str
    kind: str


def read_crows_pairs(path: Path) -> list[CrowsPair]:
    """The pairs in a comma-separated table in the published layout; other columns are ignored."""
    try:
        text = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(
            f"{path} cannot be read: {error}. Expected UTF-8 text; convert another encoding, for "
            f"example with: iconv -f macintosh -t utf-8"
        ) from error
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise FileFormatError(
            f"{path} is not a table of sentence pairs. Expected comma-separated columns with the "
            f"names {', '.join(_COLUMNS)} in the first line, as in CrowS-Pairs."
        )
    try:
        found = [_pair(row, f"{path} line {rows.line_num:,}") for row in rows]
    except csv.Error as error:
        raise FileFormatError(f"{path} line {rows.line_num:,} is not CSV: {error}.") from error
    if not found:
        raise FileFormatError(f"{path} contains no pairs.")
    return found


def _pair(row: dict[str, str | None], where: str) -> CrowsPair:
    more, less, direction, kind = (" ".join((row[name] or "").split()) for name in _COLUMNS)
    if not (more or less) or not kind:
        raise FileFormatError(
            f"{where}: expected two sentences and a kind of bias ({_MORE}, {_LESS}, {_KIND}). "
            f"Found {more[:30]!r}, {less[:30]!r}, {kind[:30]!r}."
        )
    if direction not in DIRECTIONS:
        raise FileFormatError(
            f'{where}: "{_DIRECTION}" is {direction[:30]!r}; expected {" or ".join(DIRECTIONS)}.'
        )
    return CrowsPair(more, less, direction, kind)
