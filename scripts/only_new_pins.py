"""Drop from a requirements file what others that are installed before it already pin.

python scripts/only_new_pins.py requirements/lm.txt requirements/dev.txt requirements/torch.txt

A version is then pinned in one file only, and torch's own requirements, which differ between its
builds, do not come in through what needs torch.
"""

import re
import sys
from pathlib import Path

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
_ENTRY = re.compile(r"^[A-Za-z0-9._-]+==.*\n(?:[ \t]+.*\n)*", re.MULTILINE)
_TORCH_NOT_PINNED = re.compile(r"\n# WARNING: The following packages were not pinned(?:.*\n)*")


def only_new(text: str, earlier: set[str]) -> str:
    """The text without the entries of packages in ``earlier`` and without the note about torch."""

    def kept(entry: re.Match[str]) -> str:
        return "" if entry[0].partition("==")[0].lower() in earlier else entry[0]

    return _ENTRY.sub(kept, _TORCH_NOT_PINNED.sub("", text))


def main() -> None:
    path, *others = map(Path, sys.argv[1:])
    earlier = {name.lower() for other in others for name in _PIN.findall(other.read_text())}
    path.write_text(only_new(path.read_text(), earlier))


if __name__ == "__main__":
    main()
