"""Which program and libraries computed a result."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version as installed_version
from typing import Any

from unslant.core.version import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "safetensors")


def provenance() -> dict[str, Any]:
    """The day, and versions of everything that can change a number.

    SOURCE_DATE_EPOCH, which makes builds reproducible, replaces today's date if it is set.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    today = datetime.fromtimestamp(int(stated), UTC) if stated.isdigit() else datetime.now(UTC)
    return {
        "date": today.date().isoformat(),
        "unslant": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{library: installed_version(library) for library in LIBRARIES},
    }
