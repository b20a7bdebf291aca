"""Several options as one parameter of a command."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer
from typer.models import OptionInfo

T = TypeVar("T")


def settings_of(kind: type[T], **options: str | OptionInfo) -> Callable[..., T]:
    """What makes settings of fields that are options; names, types and defaults are the fields'.

    Each option is its help, or a ``typer.Option`` where it needs more than that.
    """
    hints = get_type_hints(kind)
    defaults = {each.name: each.default for each in fields(cast(Any, kind))}

    def settings(**given: Any) -> T:
        return kind(**given)

    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=defaults[name],
            annotation=Annotated[
                hints[name], typer.Option(help=option) if isinstance(option, str) else option
            ],
        )
        for name, option in options.items()
    ]
    cast(Any, settings).__signature__ = Signature(parameters)
    return settings


def takes(**makers: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Put options in the place of the parameters of a command that are made of them.

    With ``@takes(how=settings_of(FineTuning, epochs="Most epochs to train."))`` the parameter
    ``how`` of a command becomes the option ``--epochs``, and the command is given settings.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            maker = makers.get(parameter.name)
            made_of = signature(maker, eval_str=True).parameters.values() if maker else [parameter]
            parameters += [each.replace(kind=Parameter.KEYWORD_ONLY) for each in made_of]

        @wraps(command)
        def called(**given: Any) -> None:
            made = {
                name: maker(**{each: given.pop(each) for each in signature(maker).parameters})
                for name, maker in makers.items()
            }
            command(**given, **made)

        cast(Any, called).__signature__ = Signature(parameters)
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return decorated
