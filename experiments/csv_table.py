"""Results as a small CSV file that is committed."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments.papers.tables import as_csv
from unslant.core.files import write_text


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table; numbers that are not whole get six digits."""
    shown = ([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    write_text(path, as_csv(head, shown))
