"""The docstring of a component, in parts: one line, a formula, and paragraphs.

The formula is what is indented, usually after the first line; its lines are kept as they are.
"""

import inspect
import textwrap
from typing import Any

_INDENT = "    "


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
    found = [textwrap.dedent(text) for text in _blocks(component) if text.startswith(_INDENT)]
    return "\n".join(found).replace("``", "")


def _blocks(component: Any) -> list[str]:
    return (inspect.getdoc(component) or "").split("\n\n")
