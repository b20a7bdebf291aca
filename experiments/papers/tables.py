"""Numbers as the pages print them, and tables of them."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "results"
PUBLISHED = HERE / "published"
PAGES = HERE.parent / "docs" / "papers"

Row = Mapping[str, str]
Printed = Mapping[tuple[str, str, str], float | None]


def rows_of(path: Path) -> list[dict[str, str]]:
    """The lines of a table; none if it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines with commas between their values."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(head)
    table.writerows(rows)
    return out.getvalue()


def published(document: str) -> Printed:
    """What a document prints, by table, row and column; ``None`` is its NA."""
    return {
        (row["table"], row["row"], row["column"]): (
            None if row["value"] == "NA" else float(row["value"])
        )
        for row in rows_of(PUBLISHED / f"{document}.csv")
    }


def number(value: float | None, digits: int = 3) -> str:
    """A number without its leading 0, as in ``.387`` and ``−.003``; ``NA`` for none."""
    if value is None:
        return "NA"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−").replace("0.", ".", 1) if abs(float(text)) < 1 else _minus(text)


def _minus(text: str) -> str:
    return text.replace("-", "−")


def percent(value: float, digits: int = 1) -> str:
    """A change in percent with its sign, as in ``+24.0 %``."""
    return f"{_minus(f'{value:+.{digits}f}')} %"


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign, as in ``+.093``."""
    text = number(value, digits)
    return text if text.startswith("−") else f"+{text}"


def beside(ours: str, theirs: float | None, digits: int = 3) -> str:
    """Ours with the published number in brackets."""
    return f"{ours} ({number(theirs, digits)})".strip()


def p_value(value: float) -> str:
    """A p-value: small ones in powers of ten."""
    return f"{value:.1e}" if value < 0.001 else number(value)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table in markdown; the first ``left`` columns are text."""
    marks = [*["---"] * left, *["---:"] * (len(head) - left)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))
