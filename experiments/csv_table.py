"""Results as a small CSV file that is committed."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from unslant.core.files import write_text


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table; numbers that are not whole get six digits."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(head)
    for row in rows:
        table.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
    write_text(path, out.getvalue())
