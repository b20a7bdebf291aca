"""An association test from lists of words given in code."""

from collections.abc import Mapping, Sequence
from typing import Any

from unslant.concepts.concept import AssociationTest, Lists
from unslant.concepts.wordlists import Source, WordList
from unslant.core.errors import UnslantError

OWN = "inline"
"""The concept that such a test belongs to, and the key of its source."""
_LETTERS = {"targets": "XYZ", "attributes": "ABC"}

GivenLists = Sequence[Sequence[str]] | Mapping[str, Sequence[str]]


def inline_test(
    targets: GivenLists,
    attributes: GivenLists,
    *,
    name: str = "test",
    title: str = "",
) -> AssociationTest:
    """A test of lists of words: two of targets and two of attributes, or one of either.

    Each side is a sequence of lists, or a mapping from names to lists. A single list may be given
    as it is.

    >>> import unslant as us
    >>> mine = us.test(targets=(["boss", "salary"], ["home", "children"]),
    ...                attributes={"he": ["he", "him"], "she": ["she", "her"]})
    >>> us.measure("weat", us.load(), mine).value > 1
    True
    """
    sides = {"targets": targets, "attributes": attributes}
    lists = {side: _lists(side, given) for side, given in sides.items()}
    if clash := sorted(set(lists["targets"]) & set(lists["attributes"])):
        raise UnslantError(f'"{clash[0]}" is the name of a target list and of an attribute list.')
    named = " and ".join(lists["targets"]), " and ".join(lists["attributes"])
    return AssociationTest(
        name=name, concept=OWN, title=title or f"{named[0]} with {named[1]}", **lists
    )


def _lists(side: str, given: GivenLists) -> Lists:
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        is_single = bool(given) and all(isinstance(item, str) for item in given)
        lists: Sequence[Any] = [given] if is_single else given
        named = dict(zip(_LETTERS[side], lists, strict=False))
        if not is_single and len(given) > len(_LETTERS[side]):
            raise UnslantError(f"{side} takes up to three lists; name more of them in a dict.")
    else:
        named = {}
    if not named:
        raise UnslantError(f'{side} takes lists of words, as in {side}=(["…"], ["…"]).')
    return {str(name): _words(side, str(name), words) for name, words in named.items()}


def _words(side: str, name: str, words: object) -> WordList:
    is_list = isinstance(words, Sequence) and not isinstance(words, str)
    if not is_list or not words or not all(isinstance(word, str) and word for word in words):  # type: ignore[attr-defined]
        raise UnslantError(
            f'The list "{name}" of {side} must have words, as in ["he", "him"], not {words!r:.60}.'
        )
    return WordList(name=name, source=Source(key=OWN), words=tuple(words))  # type: ignore[arg-type]
