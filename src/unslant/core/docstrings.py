"""The docstring of a component, in parts: one line, a formula, and paragraphs.

The formula is the indented part, usually after the first line; its lines are kept unchanged.
"""

import inspect
import sys
import textwrap
from typing import Any

from unslant.core.errors import UnslantError

_INDENT = "    "


def check_docstrings() -> None:
    """Refuse a Python that strips docstrings, from which records, help and figures have texts.

    Altair, which draws the figures, cannot be imported there either.
    """
    if sys.flags.optimize > 1:
        raise UnslantError(
            "Python was started without docstrings (-OO or PYTHONOPTIMIZE=2), which records, help "
            "and figures are made with. Use -O or PYTHONOPTIMIZE=1 instead, or neither."
        )


def summary_of(component: Any) -> str:
    """The first line of a docstring."""
    check_docstrings()
    return (component.__doc__ or "").strip().split("\n")[0]


def paragraphs_of(component: Any) -> list[str]:
    """The paragraphs of a docstring as single lines, without formulas and examples for Python.

    >>> class Half:
    ...     '''Half of each.
    ...
    ...         w' = w/2
    ...
    ...     ``w`` is a
    ...     vector.
    ...     '''
    >>> paragraphs_of(Half), formula_of(Half)
    (['Half of each.', '`w` is a vector.'], "w' = w/2")
    """
    plain = [
        " ".join(text.split()).replace("``", "`")
        for text in _blocks(component)
        if not text.startswith(_INDENT)
    ]
    return [text for text in plain if text and not text.startswith(">>>")]


def formula_of(component: Any) -> str:
    """The formula of a component, with the names of parameters as they are typed."""
    blocks = [textwrap.dedent(text) for text in _blocks(component) if text.startswith(_INDENT)]
    return "\n".join(blocks).replace("``", "")


def _blocks(component: Any) -> list[str]:
    check_docstrings()
    return (inspect.getdoc(component) or "").split("\n\n")
