"""Read ``name(argument, key=value) | other@layer:-2`` without running anything.

A call is a name, in any case, optionally followed by arguments in brackets. An argument is a bare
word (``she``, ``demonyms-train``), a quoted string (a quote in it is written twice), a number,
``true``, ``false`` or another call, which is kept as its text. A chain is one step or several,
separated by bars; a step is a call, optionally followed by ``@`` and a place in a model.

Text is read here, once; everything after that works with the values.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from unslant.core.errors import ExpressionError
from unslant.core.places import Place, parse_place

Value = str | int | float | bool
Token = tuple[str, str]

_PUNCTUATION_OR_STRING = r"""\s*(?:(?P<punct>[(),=|])|"(?P<string>(?:[^"]|"")*)\""""
_TOKEN = re.compile(_PUNCTUATION_OR_STRING + r"""|(?P<bare>[^\s(),="|]+))""")
_OUTER_TOKEN = re.compile(
    _PUNCTUATION_OR_STRING + r"""|@\s*(?P<place>[^\s(),="|@]*)|(?P<bare>[^\s(),="|@]+))"""
)
"""Only outside brackets is @ the sign of a place: an argument may be a path that has one."""

_INTEGER = re.compile(r"[+-]?\d+\Z")
_DEEPER = {("punct", "("): 1, ("punct", ")"): -1}
_MOST_DEPTH = 5
_MOST_DIGITS = 18
_SHOWN = 100
_NUMBER = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?\Z")


@dataclass(frozen=True)
class Call:
    """A component's name with its arguments."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        parts = [_shown(value) for value in self.args]
        parts += [f"{key}={_shown(value)}" for key, value in self.kwargs]
        return f"{self.name}({', '.join(parts)})" if parts else self.name


@dataclass(frozen=True)
class Step:
    """One method of a chain, and the place in a model at which it acts; None for vectors."""

    call: Call
    place: Place | None = None

    def __str__(self) -> str:
        return str(self.call) if self.place is None else f"{self.call}@{self.place}"


@dataclass(frozen=True)
class Chain:
    """Steps in the order in which they apply."""

    steps: tuple[Step, ...]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return " | ".join(map(str, self.steps))


def parse_call(text: str) -> Call:
    """The call in ``text``.

    >>> parse_call("pair-pca(definitional, k=2)")
    Call(name='pair-pca', args=('definitional',), kwargs=(('k', 2),))
    """
    step = _step(_tokens(text), text)
    if step.place is not None:
        raise _error(text, f"a place (@{step.place}) belongs to a method of a chain")
    return step.call


def parse_chain(text: str) -> Chain:
    """The chain in ``text``.

    >>> str(parse_chain("misp( k=2 )@layer:-2|linear @ pooled"))
    'misp(k=2)@layer:-2 | linear@pooled'
    """
    links = _split(_tokens(text), text, "|", "a bar must separate two methods")
    if not links:
        raise _error(text, "it must begin with a name")
    return Chain(tuple(_step(link, text) for link in links))


def _step(tokens: list[Token], text: str) -> Step:
    places = [place for kind, place in tokens if kind == "place"]
    if not places:
        return Step(_call(tokens, text))
    if len(places) > 1 or tokens[-1][0] != "place":
        raise _error(text, 'write one place, after the method, as in "misp(k=2)@layer:-2"')
    return Step(_call(tokens[:-1], text), parse_place(places[0]))


def _call(tokens: list[Token], text: str) -> Call:
    if not tokens or tokens[0][0] != "bare":
        raise _error(text, "it must begin with a name")
    name = canonical(tokens[0][1])
    if len(tokens) == 1:
        return Call(name)
    if tokens[1] != ("punct", "(") or tokens[-1] != ("punct", ")"):
        raise _error(text, 'put arguments in brackets after the name, as in "name(k=2)"')
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    for part in _split(tokens[2:-1], text, ",", "there is an extra comma"):
        if len(part) > 2 and part[0][0] == "bare" and part[1] == ("punct", "="):
            if part[0][1] in kwargs:
                raise _error(text, f'"{part[0][1]}" is given twice')
            kwargs[part[0][1]] = _argument(part[2:], text)
        else:
            if kwargs:
                raise _error(text, "arguments without a key come first")
            args.append(_argument(part, text))
    return Call(name, tuple(args), tuple(kwargs.items()))


def canonical(name: str) -> str:
    """The name of a component as it is registered: small letters and hyphens.

    >>> canonical("Pair_PCA")
    'pair-pca'
    """
    return name.lower().replace("_", "-")


def _argument(tokens: list[Token], text: str) -> Value:
    """A value; a call within a call is kept as text."""
    if len(tokens) == 1 and tokens[0][0] != "punct":
        return _value(tokens[0], text)
    if len(tokens) > 2 and tokens[0][0] == "bare" and tokens[1] == ("punct", "("):
        return str(_call(tokens, text))
    raise _error(text, "an argument must be a value or key=value")


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position, depth = 0, 0
    text = text.rstrip()
    while position < len(text):
        match = (_TOKEN if depth else _OUTER_TOKEN).match(text, position)
        if match is None or match.lastgroup is None:
            raise _error(text, f'"{text[position:].strip()[:10]}" is not allowed there')
        token = (match.lastgroup, match[match.lastgroup])
        depth += _DEEPER.get(token, 0)
        if depth > _MOST_DEPTH:
            raise _error(text, f"brackets are nested more than {_MOST_DEPTH} deep")
        tokens.append(token)
        position = match.end()
    return tokens


def _split(tokens: list[Token], text: str, separator: str, rule: str) -> list[list[Token]]:
    if not tokens:
        return []
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += _DEEPER.get(token, 0)
        if depth == 0 and token == ("punct", separator):
            parts.append([])
        else:
            parts[-1].append(token)
    if any(not part for part in parts):
        raise _error(text, rule)
    return parts


def _value(token: Token, expression: str) -> Value:
    kind, text = token
    if kind == "string":
        return text.replace('""', '"')
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.match(text):
        if len(text.lstrip("+-")) > _MOST_DIGITS:
            raise _error(expression, f"an integer can have at most {_MOST_DIGITS} digits")
        return int(text)
    if _NUMBER.match(text):
        if not math.isfinite(float(text)):
            raise _error(expression, f"the number {text[:20]} is too large")
        return float(text)
    return text


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and (
        not value
        or re.search(r'[\s(),="|]', value)
        or _NUMBER.match(value)
        or value in ("true", "false")
    ):
        return '"' + value.replace('"', '""') + '"'
    return str(value)


def _error(text: str, rule: str) -> ExpressionError:
    example = "hard | misp" if "|" in text else "pair-pca(definitional, k=2)"
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return ExpressionError(f'"{shown}" cannot be read: {rule}. Example: {example}')
