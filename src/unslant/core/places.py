"""Places in a language model, with a text form ``part[:index][.component[:head]][tokens]``.

Which places a model has, and how wide they are, is up to the model. A negative index counts from
the end, so that one text serves models of any depth.
"""

import re
from dataclasses import dataclass

from unslant.core.errors import ExpressionError

PARTS = (
    "wordpieces", "embeddings", "layer", "pooled", "chars", "lstm", "output", "sentence", "all",
)  # fmt: skip
COMPONENTS = ("query", "key", "value", "attention")
TOKENS = ("cls", "all", "word", "last")

EACH = -1
"""The head of a place that means every head, written ``*``, in a chain of methods."""

_INDEXED = ("layer", "lstm", "output")
_WITHOUT_TOKENS = ("wordpieces", "pooled", "sentence")
_EXAMPLES = "layer:-2, layer:-1[cls], layer:-2.query:3 or pooled"
_SHOWN = 60
_TEXT = re.compile(
    r"(?P<part>[a-z]{1,20})(?::(?P<index>0|-?[1-9][0-9]{0,3}))?"
    r"(?:\.(?P<component>[a-z]{1,20})(?::(?P<head>0|[1-9][0-9]{0,3}|\*))?)?"
    r"(?:\[(?P<tokens>[a-z]{1,20})\])?\Z"
)


@dataclass(frozen=True)
class Place:
    """One place in a model; what cannot be a place in any model is refused.

    >>> Place("layer", -2, "query", 3), str(Place("layer", -1, tokens="cls"))
    (Place(part='layer', index=-2, component='query', head=3, tokens=None), 'layer:-1[cls]')
    """

    part: str
    index: int | None = None
    component: str | None = None
    head: int | None = None
    tokens: str | None = None

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise self._error(f'there is no part "{self.part}" (parts: {", ".join(PARTS)})')
        if (self.index is None) == (self.part in _INDEXED):
            takes = "needs a number" if self.index is None else "takes no number"
            raise self._error(f'"{self.part}" {takes}')
        if self.component is not None:
            if self.component not in COMPONENTS:
                known = ", ".join(COMPONENTS)
                raise self._error(f'there is no component "{self.component}" (known: {known})')
            if self.part != "layer":
                raise self._error(f'only a layer has a "{self.component}"')
        if self.head is not None and (self.component is None or self.head < EACH):
            raise self._error("a head is counted from 0 and belongs to a component")
        if self.tokens is not None:
            if self.tokens not in TOKENS:
                raise self._error(f"tokens are [{'], ['.join(TOKENS)}], not [{self.tokens}]")
            if self.part in _WITHOUT_TOKENS:
                raise self._error(f'"{self.part}" has one vector each, so there are no tokens')

    def __str__(self) -> str:
        text = self.part
        if self.index is not None:
            text += f":{self.index}"
        if self.component is not None:
            text += f".{self.component}"
        if self.head is not None:
            text += ":*" if self.head == EACH else f":{self.head}"
        return text if self.tokens is None else f"{text}[{self.tokens}]"

    def _error(self, rule: str) -> ExpressionError:
        return _refused(str(self), rule)


def parse_place(text: str) -> Place:
    """The place that ``text`` writes down.

    >>> parse_place("layer:-2.key").component, str(parse_place("layer:-2.key:*"))
    ('key', 'layer:-2.key:*')
    """
    match = _TEXT.match(text)
    if match is None:
        raise _refused(text, "it is not written as part:number.component:head[tokens]")
    index = None if match["index"] is None else int(match["index"])
    head = EACH if match["head"] == "*" else None if match["head"] is None else int(match["head"])
    return Place(match["part"], index, match["component"], head, match["tokens"])


def _refused(text: str, rule: str) -> ExpressionError:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return ExpressionError(f'"{shown}" is not a place in a model: {rule}. Write {_EXAMPLES}.')
