"""Optional libraries: imported when needed, with installation advice if missing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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


@contextmanager
def torch_threads(torch: Any, count: int = 1) -> Iterator[None]:
    """Set torch's thread count, then restore it; with one thread, sums have a fixed order."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
