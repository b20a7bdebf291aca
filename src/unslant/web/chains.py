"""Method chains that come from a page: read, checked and kept within bounds.

A user of the command line may name any of their files. A text from a page may
not: no parameter of it reaches the file system, and none asks for more work than a few times what
the method does by default.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unslant.core.errors import ExpressionError, UnknownNameError, UnslantError
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


# Validated fields of a page request: texts, sides of a comparison, words.

MOST_WORDS = 300
MOST_GROUPS = 8
MOST_SIDES = 6
LONGEST_TEXT = 1_000


def text(asked: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    """A text of a request."""
    value = asked.get(name, otherwise)
    if not isinstance(value, str):
        raise UnslantError(f'The request needs a text "{name}".')
    return _whole(value, f'The text "{name}"')


def _whole(value: str, what: str) -> str:
    """A text that is not endless and that can be written, which half a character cannot."""
    if len(value) > LONGEST_TEXT:
        raise UnslantError(
            f"{what} has {len(value):,} characters; at most {LONGEST_TEXT:,} may be."
        )
    if any("\ud800" <= sign <= "\udfff" for sign in value):
        raise UnslantError(f"{what} holds half a character. Type it again.")
    return value


def sides(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The vectors and the method, empty where there is none, of each side of a comparison."""
    pairs = asked.get("sides")
    if not isinstance(pairs, list) or not 2 <= len(pairs) <= MOST_SIDES:
        raise UnslantError(f"Give two to {MOST_SIDES} sides to compare.")
    if not all(isinstance(side, dict) for side in pairs):
        raise UnslantError("Each side needs vectors and a method.")
    return [(text(side, "vectors"), chain_in(side)) for side in pairs]


def place_in(asked: Mapping[str, Any]) -> str:
    """The place in a model; empty for the usual one, and for vectors."""
    return text(asked, "place", "")


def chain_in(asked: Mapping[str, Any]) -> str:
    """The chain of methods, checked; empty for the vectors as they are."""
    chain = text(asked, "method", "").strip()
    return checked(chain) if chain else ""


def own_words(asked: Mapping[str, Any]) -> tuple[list[str], dict[str, list[str]]]:
    """The query words, and the groups by name."""
    groups = asked.get("groups")
    if not isinstance(groups, list) or not 2 <= len(groups) <= MOST_GROUPS:
        raise UnslantError(f"Give two to {MOST_GROUPS} groups of words.")
    named: dict[str, list[str]] = {}
    for group in groups:
        if not isinstance(group, dict):
            raise UnslantError("Each group needs a name and words.")
        name = text(group, "name").strip()
        if not name or name in named:
            raise UnslantError(
                f'Two groups are called "{name}".' if name else "Each group needs a name."
            )
        named[name] = _words(group.get("words"), name)
    return _words(asked.get("words"), "your words"), named


def _words(value: object, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UnslantError(f"{where}: a list of words is needed.")
    if len(value) > MOST_WORDS:
        raise UnslantError(f"{where}: {len(value)} words; at most {MOST_WORDS} are looked up.")
    return list(dict.fromkeys(_whole(word, f"{where}: a word") for word in value if word))
