"""What figures were measured on."""

import platform
from pathlib import Path

_DESCRIBED = Path("/proc/cpuinfo")


def processor() -> str:
    """The name of the processor, or what kind it is where the system has no name for it."""
    lines = _DESCRIBED.read_text().splitlines() if _DESCRIBED.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def system() -> str:
    """The operating system and its release."""
    return platform.platform(aliased=True, terse=True)
