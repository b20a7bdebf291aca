"""Dataclasses as plain JSON values and back, by their type hints alone.

Reading is strict: a key too many, a key too few or a value of another type is refused with the
place where it is, such as ``results[3].now.value: expected a number, found text``.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from unslant.core.errors import UnslantError
from unslant.core.visible import legible

Made = TypeVar("Made")

IN_MEMORY = {"in_memory": True}
"""The metadata of a field that is not written down."""

_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
    list: "a list",
    dict: "an object",
}


class PlainError(UnslantError):
    """A value that does not have the type that its place asks for."""


def to_plain(value: Any) -> Any:
    """A value as JSON has it; dataclasses and mappings become objects, tuples become lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_plain(getattr(value, item.name)) for item in written(type(value))}
    if isinstance(value, Mapping):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON value.")
    if _is_scalar(value):
        return value
    raise TypeError(f"{type(value).__name__} is not a JSON value.")


def from_plain(kind: type[Made], value: Any, where: str = "") -> Made:
    """The dataclass that :func:`to_plain` wrote down; ``where`` goes before every place."""
    value_read: Made = _read(kind, value, where)
    return value_read


@cache
def written(kind: type) -> tuple[Field[Any], ...]:
    """The fields of a dataclass that are written down."""
    return tuple(item for item in fields(kind) if not item.metadata.get("in_memory"))


@cache
def hints(kind: type) -> dict[str, Any]:
    """The types of the fields of a dataclass."""
    return get_type_hints(kind)


def is_required(item: "Field[Any]") -> bool:
    """Whether a field has no default."""
    return item.default is MISSING and item.default_factory is MISSING


def is_union(hint: Any) -> bool:
    """Whether a hint offers several types."""
    return get_origin(hint) in (Union, UnionType)


def tag(kind: Any) -> tuple[Any, ...]:
    """The values of ``kind`` that identify a dataclass within a union."""
    named = hints(kind).get("kind") if isinstance(kind, type) and is_dataclass(kind) else None
    return get_args(named) if get_origin(named) is Literal else ()


def _read(hint: Any, value: Any, where: str) -> Any:
    if is_union(hint):
        options = [option for option in get_args(hint) if _fits(option, value)]
        if not options:
            raise _unexpected(" or ".join(_names(hint)), value, where)
        # A whole number stays one if the union has any number.
        return value if _is_scalar(value) else _read(options[0], value, where)
    if not _fits(hint, value):
        raise _unexpected(" or ".join(_names(hint)), value, where)
    if is_dataclass(hint):
        return _read_dataclass(hint, value, where)
    kind, inner = get_origin(hint), get_args(hint)
    if kind is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) != len(value):
            raise PlainError(
                f"{where or 'the record'}: expected a list of {len(kinds)}, found {len(value)}."
            )
        pairs = zip(kinds, value, strict=True)
        return tuple(_read(one, part, f"{where}[{n}]") for n, (one, part) in enumerate(pairs))
    if inner and kind is not Literal:  # a mapping
        return {key: _read(inner[1], part, _below(where, key)) for key, part in value.items()}
    return float(value) if hint is float else value


def _read_dataclass(kind: Any, value: dict[str, Any], where: str) -> Any:
    known = {item.name: item for item in written(kind)}
    for name in value:
        if name not in known:
            raise PlainError(f'{where or "the record"}: unknown key "{name}".')
    for name, item in known.items():
        if name not in value and is_required(item):
            raise PlainError(f'{where or "the record"}: the key "{name}" is missing.')
    types = hints(kind)
    parts = {name: _read(types[name], part, _below(where, name)) for name, part in value.items()}
    try:
        return kind(**parts)
    except ValueError as error:
        raise PlainError(f"{where or 'the record'}: {error}") from error


def _fits(hint: Any, value: Any) -> bool:
    """Whether a value looks like this type; its content is checked later."""
    if hint is Any:
        return True
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint in (str, bool):
        return isinstance(value, hint)
    kind = get_origin(hint)
    if kind is Literal:
        return value in get_args(hint)
    if kind is tuple:
        return isinstance(value, list)
    if not isinstance(value, dict):
        return False
    return not tag(hint) or value.get("kind") in tag(hint)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _names(hint: Any) -> Iterator[str]:
    if is_union(hint):
        for option in get_args(hint):
            yield from _names(option)
    elif get_origin(hint) is Literal:
        yield from (f'"{value}"' for value in get_args(hint))
    elif tag(hint):
        yield f'an object of the kind "{tag(hint)[0]}"'
    else:
        yield _NAMES.get(hint) or _NAMES[list if get_origin(hint) is tuple else dict]


def _unexpected(expected: str, value: Any, where: str) -> PlainError:
    actual = _NAMES.get(type(value), type(value).__name__)
    if isinstance(value, str) and '"' in expected:
        actual = f'"{legible(value, 60)}"'
    return PlainError(f"{where or 'the record'}: expected {expected}, found {actual}.")


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
