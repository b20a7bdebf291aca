"""Create a component from an expression, with its parameters checked by name and type."""

from typing import Any

from unslant.core.errors import ExpressionError, UnknownNameError
from unslant.core.expression import Call, parse_call
from unslant.core.parameters import parameters_of
from unslant.core.registry import Registry


def component_from(registry: Registry[Any], expression: str) -> Any:
    """The component that ``name(argument, key=value)`` describes.

    Arguments without a key follow the order of the component's parameters.
    """
    return component_of(registry, parse_call(expression))


def component_of(registry: Registry[Any], call: Call) -> Any:
    """The component that a call describes."""
    component = registry.entry(call.name).component
    return component(**_parameters(component, call))


def shortest(registry: Registry[Any], call: Call) -> Call:
    """The call without parameters that have their default value, the others by name and in order.

    Calls that create different components stay different; calls that create equal ones become
    equal.
    """
    component = registry.entry(call.name).component
    arguments = _parameters(component, call)
    changed = [
        (parameter.name, parameter.in_one_spelling(arguments[parameter.name]))
        for parameter in parameters_of(component)
        if parameter.name in arguments and arguments[parameter.name] != parameter.default
    ]
    return Call(call.name, kwargs=tuple(changed))


def _parameters(component: type[Any], call: Call) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in parameters_of(component)}
    if len(call.args) > len(known):
        raise ExpressionError(
            f"{call} has too many arguments: {call.name} takes {', '.join(known) or 'none'}."
        )
    arguments = dict(zip(known, call.args, strict=False))
    for key, value in call.kwargs:
        if key not in known:
            raise UnknownNameError(f"parameter of {call.name}", key, known)
        if key in arguments:
            raise ExpressionError(f'{call} gives "{key}" twice.')
        arguments[key] = value
    for name, parameter in known.items():
        if name not in arguments:
            if parameter.is_required:
                raise ExpressionError(
                    f'{call} needs a value for "{name}": {call.name}({", ".join(known)}).'
                )
        elif (expected := parameter.fault(arguments[name])) is not None:
            raise ExpressionError(
                f'The "{name}" parameter of {call.name} must be {expected}. '
                f"Got {arguments[name]!r} instead."
            )
    return arguments
