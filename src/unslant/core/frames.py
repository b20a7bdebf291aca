"""Results as pandas tables, if pandas is installed."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from unslant.core.errors import UnslantError


def frame(rows: Sequence[Mapping[str, Any]], if_empty: str) -> Any:
    """A pandas DataFrame with a row for each mapping; ``if_empty`` says why there are none."""
    if not rows:
        raise UnslantError(f"{if_empty}, so there is no table of it.")
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise UnslantError(
            "to_frame() needs pandas, which is not installed. Install it with: pip install pandas"
        ) from error
    return pandas.DataFrame(list(rows))
