"""Draw the terminal output of ``unslant audit`` as the picture that the README shows.

python scripts/terminal_picture.py docs/images/audit.svg
"""

import io
import re
import sys
from pathlib import Path

from rich.console import Console

import unslant as us
from unslant.core.files import write_text
from unslant.reports.terminal import audit_tables

COLUMNS = 112


def main(target: Path) -> None:
    record = us.audit(us.load(), us.concept("gender")).record
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(audit_tables(record))
    svg = console.export_svg(title="unslant audit", unique_id="audit")
    # The font that rich fetches from the network is left out: a picture makes no request.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    write_text(target, "\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
