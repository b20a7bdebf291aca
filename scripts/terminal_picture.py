"""Draw what ``unslant audit``, ``debias`` and ``probe nli`` print, as the pictures of the README.

python scripts/terminal_picture.py docs/images
"""

import html
import io
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console

import unslant as us
from unslant.core.files import write_text
from unslant.core.record import Record
from unslant.reports.terminal import record_tables
from unslant.studies.debiasing import debiasing

COLUMNS = 112
CHAIN = "hard | misp"


def _debiased() -> Record:
    vectors, gender = us.load(), us.concept("gender")
    eraser = us.fit(CHAIN, vectors, gender)
    return debiasing(vectors, us.debiased(vectors, eraser), eraser, gender).record


PICTURES: Mapping[str, tuple[str, Callable[[], Record]]] = {
    "audit.svg": ("unslant audit", lambda: us.audit(us.load(), us.concept("gender")).record),
    "debias.svg": (f'unslant debias --with "{CHAIN}"', _debiased),
    "probe.svg": ("unslant probe nli", lambda: us.probe("nli", us.load()).record),
}
"""For each picture the command that it shows, and how to make its record."""


def main(folder: Path) -> None:
    for name, (_, made) in PICTURES.items():
        write_text(folder / name, drawn(name, made()))
        print(folder / name)


def drawn(name: str, record: Record) -> str:
    """The picture of a command's tables, under its command."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(record_tables(record))
    svg = console.export_svg(title=PICTURES[name][0], unique_id=Path(name).stem)
    # The font that rich fetches from the network is left out: a picture makes no request.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def words_of(svg: str) -> list[str]:
    """The words and numbers that a picture shows, in order."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return [word for text in texts for word in html.unescape(text).split()]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
