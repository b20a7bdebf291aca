"""Measures that a page names: within the same bounds as methods, and without files.

On the command line a parameter such as ``nli(set=…)`` may also be a file of the user's. A page may
name only what is bundled or installed.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from unslant.concepts import bundled_concepts, concept
from unslant.core.errors import UnknownNameError
from unslant.core.expression import Call, parse_call
from unslant.core.parameters import parameters_of
from unslant.measures.registry import MEASURES, measure_from
from unslant.probes.abilities import ListsSets
from unslant.web.chains import check_call

_CONTEXTS = ("bleached", "everyday", "plain")
_MAY_BE_FILES = ("data", "text", "corpus", "names", "set", "groups", "test")
"""Parameters of measures that are files or folders unless they are names that we know."""


def checked_measure(text: str) -> Call:
    """The call of a measure; unknown ones and those not allowed on the page are refused.

    >>> str(checked_measure("weat(ddof=0)"))
    'weat(ddof=0)'
    """
    call = parse_call(text)
    entry = MEASURES.entry(call.name)
    parameters = parameters_of(entry.component)
    arguments = dict(zip((item.name for item in parameters), call.args, strict=False))
    arguments |= dict(call.kwargs)
    defaults = {item.name: item.default for item in parameters}
    named = dict[str, Any]()
    for name, value in arguments.items():
        known = _known(entry.component, name, entry.facts.is_probe) if name in defaults else None
        if known is not None:
            known = {*known, defaults[name]} - {""}
            if value not in known:
                raise UnknownNameError(f'"{name}" of {call.name} on a page', str(value), known)
        else:
            named[name] = value
    # What is one of the names that we know needs no other check, though it may hold a slash.
    check_call(Call(call.name, kwargs=tuple(named.items())), entry.component)
    measure_from(call)
    return call


def _known(component: type[Any], name: str, is_probe: bool) -> set[Any] | None:
    """The values that a parameter which may be a file can have here; None for others."""
    if name == "contexts":
        return set(_CONTEXTS) if _takes_text(component, name) else None
    if name not in _MAY_BE_FILES and not (name == "pairs" and is_probe):
        return None
    if name == "test":
        return set(_tests())
    if name in ("set", "groups"):
        return {item.name for item in sets_of(component)}
    return set()


def _takes_text(component: type[Any], name: str) -> bool:
    """Whether a parameter is a text; the contexts of some probes are a number."""
    return any(item.type is str for item in parameters_of(component) if item.name == name)


def _tests() -> Iterable[str]:
    return (f"{name}/{test}" for name in bundled_concepts() for test in concept(name).tests)


def sets_of(component: type[Any]) -> tuple[Any, ...]:
    """The sets that a probe brings with it."""
    probe = component()
    return tuple(probe.sets()) if isinstance(probe, ListsSets) else ()


def set_parameter(component: type[Any]) -> str:
    """The parameter that chooses one of the sets, if there is one."""
    names: Mapping[str, Any] = {item.name: item for item in parameters_of(component)}
    return next((name for name in ("set", "groups") if name in names), "")
