"""Method chains that come from a page: read, checked and kept within bounds.

A user of the command line may name any of their files. A text from a page may
not: no parameter of it reaches the file system, and none asks for more work than a few times what
the method does by default.
"""

from dataclasses import replace
from typing import Any

from unslant.core.errors import ExpressionError, UnknownNameError
from unslant.core.expression import Call, Chain, Step, parse_call, parse_chain
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.places import Place
from unslant.datasets.registry import datasets
from unslant.methods.chains import chain_of
from unslant.methods.method import DEBIASERS
from unslant.models.language.base import LanguageModel
from unslant.models.language.recipes import is_recipe
from unslant.studies.at_places import chain_at_places
from unslant.studies.tunings import is_tuning, refuse_tunings
from unslant.subspaces.estimator import ESTIMATORS

LONGEST = 400
MOST_METHODS = 6
MOST_TIMES_DEFAULT = 4
AT_LEAST = 64
"""Whole numbers may be up to this, or up to four times their default where that is more."""

LARGEST_SEED = 2**32


def checked(text: str) -> str:
    """The chain in canonical spelling; chains that cannot or must not run are refused.

    >>> checked("hard|misp( names(k=2) )")
    'hard | misp("names(k=2)")'
    """
    bounded = _bounded(text)
    refuse_tunings(bounded, "a set of word vectors")
    chain = chain_of(bounded, "a set of word vectors")
    for step in chain:
        check_call(step.call, DEBIASERS.entry(step.call.name).component)
    return str(chain)


def checked_in(text: str, model: LanguageModel, place: Place) -> str:
    """The chain as it will run in a model: a method that names no place acts at ``place``.

    Methods act on every token where the vectors of one word, or the mean, are measured.
    """
    if place.tokens in ("word", "all"):
        place = replace(place, tokens=None)
    chain = Chain(
        tuple(
            step
            if is_recipe(step) or is_tuning(step) or step.place is not None
            else Step(step.call, place)
            for step in _bounded(text)
        )
    )
    for step in chain:
        if is_tuning(step):
            raise ExpressionError(
                f"{step.call.name} trains the model, which takes too long for a page. Use the "
                f"command line: unslant debias MODEL --with …"
            )
    for step in chain_at_places(chain, model):
        check_call(step.call, DEBIASERS.entry(step.call.name).component)
    return str(chain)


def _bounded(text: str) -> Chain:
    if len(text) > LONGEST:
        raise ExpressionError(f"The chain has {len(text)} characters; at most {LONGEST} are read.")
    chain = parse_chain(text)
    if len(chain) > MOST_METHODS:
        raise ExpressionError(
            f"The chain has {len(chain)} methods; at most {MOST_METHODS} run here."
        )
    return chain


def check_call(call: Call, component: type[Any]) -> None:
    """Refuse arguments that may be paths or are too large, also within arguments."""
    known = {parameter.name: parameter for parameter in parameters_of(component)}
    arguments = dict(zip(known, call.args, strict=False)) | dict(call.kwargs)
    for name, value in arguments.items():
        if name not in known:
            raise UnknownNameError(f"parameter of {call.name}", name, known)
        if isinstance(value, str):
            _check_text(known[name], value)
        elif isinstance(value, int) and not isinstance(value, bool) and name != "seed":
            _check_size(call.name, name, value, known[name].default)
        elif isinstance(value, float) and known[name].type is int:
            raise ExpressionError(
                f'The "{name}" parameter of {call.name} is a whole number. Got {value:g}.'
            )
        elif name == "seed" and abs(value) > LARGEST_SEED:
            raise ExpressionError(f"A seed may be at most {LARGEST_SEED:,} here.")


def _check_text(parameter: Parameter, value: str) -> None:
    if any(sign in value for sign in ("/", "\\", "\0", "~")):
        raise ExpressionError(
            f'"{value}" looks like the name of a file, which a page may not give. Files are for '
            f"the command line: unslant debias --with …"
        )
    if kind := parameter.benchmark:
        known = [key.partition("/")[2] for key in datasets() if key.startswith(f"{kind}/")]
        if value not in known:
            raise UnknownNameError(f"{kind} dataset", value, known)
    if "(" in value:
        inner = parse_call(value)
        check_call(inner, ESTIMATORS.entry(inner.name).component)


def _check_size(owner: str, name: str, value: int, default: object) -> None:
    usual = default if isinstance(default, int) else 0
    most = max(AT_LEAST, MOST_TIMES_DEFAULT * usual)
    if abs(value) > most:
        raise ExpressionError(
            f'The "{name}" parameter of {owner} may be at most {most:,} here. Got {value:,}; use '
            f"the command line for more."
        )
