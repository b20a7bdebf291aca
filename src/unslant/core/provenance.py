"""Which program and libraries computed a result."""

import platform
from importlib.metadata import version as installed_version
from typing import Any

from unslant.core.version import __version__

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "safetensors")


def provenance() -> dict[str, Any]:
    """Versions of everything that can change a number."""
    return {
        "unslant": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{library: installed_version(library) for library in _LIBRARIES},
    }
