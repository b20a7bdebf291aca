"""Validated fields of a page request: texts, sides of a comparison, words."""

from collections.abc import Mapping
from typing import Any

from unslant.core.errors import UnslantError
from unslant.web.chains import checked

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
