"""Read ``name(argument, key=value) | other`` without running anything.

A call is a name, optionally followed by arguments in brackets. An argument is a bare word
(``she``, ``demonyms-train``), a quoted string, a number, ``true``, ``false`` or another call. A
chain is one call, or several separated by ``|``.
"""

import math
import re
from dataclasses import dataclass

from unslant.core.errors import ExpressionError

Value = str | int | float | bool
Token = tuple[str, str]

_TOKEN = re.compile(
    r"""\s*(?:(?P<punct>[(),=|])"""
    r"""|"(?P<string>[^"]*)\""""
    r"""|(?P<bare>[^\s(),="|]+))"""
)
_INTEGER = re.compile(r"[+-]?\d+\Z")
_DEEPER = {("punct", "("): 1, ("punct", ")"): -1}
_MOST_DEPTH = 20
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


def parse_call(text: str) -> Call:
    """The call in ``text``.

    >>> parse_call("pair-pca(definitional, k=2)")
    Call(name='pair-pca', args=('definitional',), kwargs=(('k', 2),))
    """
    return _call(_tokens(text), text)


def parse_chain(text: str) -> tuple[Call, ...]:
    """The calls in ``text``, in the order in which they apply.

    >>> [str(call) for call in parse_chain("hard|misp( k=2 )")]
    ['hard', 'misp(k=2)']
    """
    links = _split(_tokens(text), text, "|", "a bar must separate two methods")
    if not links:
        raise _error(text, "it must begin with a name")
    return tuple(_call(link, text) for link in links)


def _call(tokens: list[Token], text: str) -> Call:
    if not tokens or tokens[0][0] != "bare":
        raise _error(text, "it must begin with a name")
    name = tokens[0][1]
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


def _argument(tokens: list[Token], text: str) -> Value:
    """A value; a call within a call is kept as text."""
    if len(tokens) == 1 and tokens[0][0] != "punct":
        return _value(tokens[0], text)
    if len(tokens) > 2 and tokens[0][0] == "bare" and tokens[1] == ("punct", "("):
        inner = str(_call(tokens, text))
        if '"' in inner:
            raise _error(text, "a call within a call cannot contain quotes or a third call")
        return inner
    raise _error(text, "an argument must be a value or key=value")


def _tokens(text: str) -> list[Token]:
    found, position, depth = [], 0, 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise _error(text, f'"{text[position:].strip()[:10]}" is not allowed there')
        token = (match.lastgroup, match[match.lastgroup])
        depth += _DEEPER.get(token, 0)
        if depth > _MOST_DEPTH:
            raise _error(text, f"brackets are nested more than {_MOST_DEPTH} deep")
        found.append(token)
        position = match.end()
    return found


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
    if kind == "bare":
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
        return f'"{value}"'
    return str(value)


def _error(text: str, rule: str) -> ExpressionError:
    example = "hard | misp" if "|" in text else "pair-pca(definitional, k=2)"
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return ExpressionError(f'"{shown}" cannot be read: {rule}. Example: {example}')
