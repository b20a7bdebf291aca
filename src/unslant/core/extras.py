"""Libraries that only some work needs: imported late, with advice where they are absent."""

from importlib import import_module
from typing import Any

from unslant.core.errors import UnslantError


def extra_for(what: str, library: str, extra: str) -> Any:
    """A library that ``what`` needs, or how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise UnslantError(
            f'{what} needs {library}; install it with: pip install "unslant[{extra}]"'
        ) from error


def torch_for(what: str) -> Any:
    """The torch library, or how to get it."""
    return extra_for(what, "torch", "lm")
