"""Shows the examples in docstrings as code: griffe, which reads them, calls this."""

from typing import Any

import griffe


class FencedExamples(griffe.Extension):  # type: ignore[misc, unused-ignore]
    """Puts fences around examples for Python, which Markdown would take as quotations."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of a function, class or module that has been read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with its examples in fences.

    >>> fenced("Two.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Two.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    blocks = [
        f"```pycon\n{block}\n```" if block.startswith(">>>") else block
        for block in text.split("\n\n")
    ]
    return "\n\n".join(blocks)
