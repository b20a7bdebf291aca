"""Draw what ``unslant audit``, ``debias`` and ``probe nli`` print, as the pictures of the README.

python scripts/terminal_picture.py docs/images
"""

import io
import re
import sys
from pathlib import Path

from rich.console import Console, RenderableType

import unslant as us
from unslant.core.files import write_text
from unslant.reports.terminal import record_tables
from unslant.studies.debiasing import debiasing

COLUMNS = 112
CHAIN = "hard | misp"


def main(folder: Path) -> None:
    vectors, gender = us.load(), us.concept("gender")
    draw(folder / "audit.svg", "unslant audit", record_tables(us.audit(vectors, gender).record))
    eraser = us.fit(CHAIN, vectors, gender)
    done = debiasing(vectors, us.debiased(vectors, eraser), eraser, gender)
    draw(folder / "debias.svg", f'unslant debias --with "{CHAIN}"', record_tables(done.record))
    draw(folder / "probe.svg", "unslant probe nli", record_tables(us.probe_nli(vectors).record))


def draw(target: Path, command: str, shown: RenderableType) -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(shown)
    svg = console.export_svg(title=command, unique_id=target.stem)
    # The font that rich fetches from the network is left out: a picture makes no request.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    write_text(target, "\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
