"""Libraries that only some work needs: imported late, with advice where they are absent."""

from importlib import import_module
from typing import Any

from unslant.core.errors import UnslantError


def torch_for(what: str) -> Any:
    """The torch library, or how to get it."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise UnslantError(
            f'{what} needs torch; install it with: pip install "unslant[lm]"'
        ) from error
