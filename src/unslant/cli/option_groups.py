"""Options made from settings dataclasses: names, types and defaults are those of the fields."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer
from typer.models import OptionInfo

from unslant.core.errors import UnslantError

T = TypeVar("T")
Given = Mapping[str, Any]
"""Options that were typed, by the names of the fields that they set."""


def settings_of(kind: type[T], **options: str | OptionInfo) -> Callable[..., T]:
    """What makes settings of fields that are options.

    Each option is its help, or a ``typer.Option`` where it needs more than that.
    """
    hints, defaults = get_type_hints(kind), _defaults(kind)
    parameters = []
    for name, option in options.items():
        shown = typer.Option(help=option) if isinstance(option, str) else option
        parameters.append(_keyword(name, Annotated[hints[name], shown], defaults[name]))
    return _with_signature(lambda **given: kind(**given), parameters)


def options_of(
    kinds: Mapping[str, type[Any]], prefix: str = "", **options: str
) -> Callable[..., Given]:
    """What collects the options that were typed, for settings of one of several kinds.

    ``kinds`` are settings by what they are for. The help shows the default of each kind; options
    begin with the prefix, and are passed on without it.
    """
    hints = {name: hint for kind in kinds.values() for name, hint in get_type_hints(kind).items()}
    parameters = []
    for name, help_text in options.items():
        shown: dict[str, list[str]] = {}
        for where, kind in kinds.items():
            if (default := _defaults(kind).get(name, MISSING)) is not MISSING:
                shown.setdefault(_as_shown(default), []).append(where)
        is_same = len(shown) == 1
        text = "; ".join(
            default if is_same else f"{default} for {' and '.join(where)}"
            for default, where in shown.items()
            if default
        )
        option = typer.Option(
            f"--{prefix}{name.replace('_', '-')}", help=help_text, show_default=text or False
        )
        optional: Any = hints[name] | None
        keyword = f"{prefix.replace('-', '_')}{name}"
        parameters.append(_keyword(keyword, Annotated[optional, option], None))

    def typed(**given: Any) -> Given:
        start = len(prefix)
        return {name[start:]: value for name, value in given.items() if value is not None}

    return _with_signature(typed, parameters)


def made_of(kind: type[T], given: Given, what: str, **more: Any) -> T:
    """Settings of what was typed; an option that this kind does not have is refused."""
    known = _defaults(kind)
    for name in given:
        if name not in known:
            raise UnslantError(f"--{name.replace('_', '-')} does not apply to training {what}.")
    return kind(**given, **more)


def takes(**makers: Callable[..., Any]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Put options in the place of the parameters of a command that are made of them.

    With ``@takes(how=settings_of(FineTuning, epochs="Most epochs to train."))`` the parameter
    ``how`` of a command becomes the option ``--epochs``, and the command is given settings.
    """

    def decorated(command: Callable[..., T]) -> Callable[..., T]:
        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            maker = makers.get(parameter.name)
            parts = signature(maker, eval_str=True).parameters.values() if maker else [parameter]
            parameters += [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parts]

        @wraps(command)
        def called(**given: Any) -> T:
            made = {
                name: maker(**{each: given.pop(each) for each in signature(maker).parameters})
                for name, maker in makers.items()
            }
            return command(**given, **made)

        return _with_signature(called, parameters)

    return decorated


def _defaults(kind: type[Any]) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}


def _as_shown(default: Any) -> str:
    if default is None or default == "" or default is False:
        return ""
    return f"{default:g}" if isinstance(default, int | float) else str(default)


def _keyword(name: str, hint: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _with_signature(function: Callable[..., T], parameters: list[Parameter]) -> Callable[..., T]:
    cast(Any, function).__signature__ = Signature(parameters)
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    return function
