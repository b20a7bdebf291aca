"""What ``unslant --version`` says: the version, and what a report of a fault needs."""

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from unslant.core.provenance import LIBRARIES
from unslant.core.version import __version__

FOR_DEVELOPERS = ("dev", "lm-tests", "bench", "docs")
"""Extras that users do not need."""
_EXTRA = re.compile(r"""^([A-Za-z0-9._-]+).*;.*extra\s*==\s*["']([a-z-]+)["']""")
_SETTINGS = ("UNSLANT_CACHE", "UNSLANT_DATA", "UNSLANT_MODELS", "OMP_NUM_THREADS")


def version_lines() -> Iterator[str]:
    """One line for each kind of fact; folders are not named, as they may be private."""
    yield f"unslant {__version__}"
    yield f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "Libraries: " + ", ".join(map(_installed, LIBRARIES))
    for extra, libraries in _extras().items():
        yield f"Extra {extra}: " + ", ".join(map(_installed, libraries))
    encoding = getattr(sys.stdout, "encoding", None) or "unknown"
    yield f"Terminal: {encoding}, {os.cpu_count()} processors"
    given = [name for name in _SETTINGS if name in os.environ]
    yield "Settings: " + (", ".join(given) or "none")


def _installed(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} is not installed"


def _extras() -> dict[str, list[str]]:
    """The libraries of each extra, as the installed package declares them."""
    found: dict[str, list[str]] = {}
    for line in requires("unslant") or ():
        if (match := _EXTRA.match(line)) and match[2] not in FOR_DEVELOPERS:
            found.setdefault(match[2], []).append(match[1])
    return found
