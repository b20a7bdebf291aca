"""The folders that Unslant keeps things in or is pointed to."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where everything is kept that can be made or fetched again; ``UNSLANT_CACHE`` moves it."""
    if chosen := os.environ.get("UNSLANT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "unslant"


def data_folder() -> Path | None:
    """The folder of real data that ``UNSLANT_DATA`` names, if it names one."""
    chosen = os.environ.get("UNSLANT_DATA")
    return Path(chosen) if chosen else None
