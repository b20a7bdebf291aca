"""Optional libraries: imported when needed, with installation advice if missing."""

from importlib import import_module
from typing import Any

from unslant.core.errors import UnslantError


def extra_for(what: str, library: str, extra: str) -> Any:
    """The library that ``what`` needs, or an error that says how to install it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise UnslantError(
            f'{what} needs {library}; install it with: pip install "unslant[{extra}]"'
        ) from error


def torch_for(what: str) -> Any:
    """The torch library, or an error that says how to install it."""
    return extra_for(what, "torch", "lm")
