"""Which word becomes which: read from a file of the package, or made from a concept's pairs."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.concepts.concept import Concept
from unslant.concepts.swap.tokens import Status
from unslant.concepts.wordlists import wordlist
from unslant.core.errors import ConceptError

BY_RULES = frozenset({"her", "his", "him", "hers", "miss"})
"""English words that rules swap, not the table."""
BOTH = "a first name given to people of both groups"
NOT_SURE = "a name that is not tied to one group alone, or is also a surname, place or word"


@dataclass(frozen=True)
class SwapEntry:
    """The replacement of a word, and how certain it is."""

    new: str
    status: Status = "certain"
    reason: str = ""


@dataclass(frozen=True)
class SwapTable:
    """Words and names with their counterparts, all keyed in small letters.

    ``phrases`` are two words in a row in which a group word may mean something else. If
    ``has_pronouns``, the rules for English her, him, his and hers apply.
    """

    groups: tuple[str, str]
    words: Mapping[str, SwapEntry]
    names: Mapping[str, SwapEntry]
    phrases: frozenset[tuple[str, str]] = frozenset()
    has_pronouns: bool = False
    first_group: frozenset[str] = frozenset()
    """The names of the first group."""
    first_words: frozenset[str] = frozenset()
    """The words of the first group."""
    words_too: frozenset[str] = frozenset()
    """Names that are also words, places or surnames."""


def table_of(concept: Concept) -> SwapTable:
    """The table of a concept with two groups.

    Pairs come from the concept's tables with one column for each group, and names from its lists
    of names, paired by their order. A concept of female and male has the English table besides,
    which decides about every word that it knows.
    """
    if len(concept.groups) != 2:
        count = len(concept.groups)
        raise ConceptError(
            f"A swap needs a concept with two groups; {concept.name} has {count or 'none'}"
            f"{': ' * bool(count)}{', '.join(concept.groups)}. Use one such as gender or race."
        )
    first, second = concept.groups
    base = _english_gender() if {first, second} == {"female", "male"} else None
    words = dict(base.words) if base else {}
    first_words = set(base.first_words) if base else set()
    for row in _rows(concept):
        if _add(words, row, {*base.names, *BY_RULES} if base else set()):
            first_words.add(row[base.groups.index(first) if base else 0].lower())
    names: dict[str, SwapEntry] = {}
    first_names: frozenset[str] = frozenset()
    if not base and {first, second} <= set(concept.names):
        lists = [concept.names[group].words for group in concept.groups]
        names = _names_by_order(*lists, doubtful=_english_gender().words_too)
        first_names = frozenset(name.lower() for name in lists[0])
    if not words and not names:
        raise ConceptError(
            f"{concept.name} has no pairs to swap: add a table under [sets] with the columns "
            f"{first} and {second}, or names of both groups under [names]."
        )
    if base:
        return replace(base, words=words, first_words=frozenset(first_words))
    return SwapTable(
        (first, second),
        words,
        names,
        first_group=first_names,
        first_words=frozenset(first_words),
    )


def _rows(concept: Concept) -> Iterator[tuple[str, str]]:
    """The pairs in all of a concept's tables, those called definitional first."""
    tables = sorted(concept.sets.items(), key=lambda item: item[0] != "definitional")
    for _, table in tables:
        if set(concept.groups) <= set(table.columns):
            for one, other in table.only(*concept.groups).rows:
                yield str(one).rstrip("."), str(other).rstrip(".")


def _add(words: dict[str, SwapEntry], pair: tuple[str, str], names: Collection[str]) -> bool:
    """Add a pair of single words of which none is in the table, and not both are names.

    Whether it was added.
    """
    one, other = pair
    is_known = any(word.lower() in words for word in pair) or one.lower() == other.lower()
    is_known |= all(word.lower() in names for word in pair)
    if is_known or any(part in word for word in pair for part in " _"):
        return False
    words[one.lower()], words[other.lower()] = SwapEntry(other), SwapEntry(one)
    return True


def _names_by_order(
    first: Iterable[str],
    second: Iterable[str],
    *,
    doubtful: Collection[str] | None = None,
    known: Collection[str] = (),
) -> dict[str, SwapEntry]:
    """Names paired by their order; a name in both lists is left alone.

    Names that are ``doubtful`` are ambiguous; all of them, if that is not given. Names that have
    no partner, because the other list is shorter, are not swapped.
    """
    lists = [list(dict.fromkeys(name.lower() for name in names)) for names in (first, second)]
    both = set(lists[0]) & set(lists[1])
    left = [[name for name in names if name not in both and name not in known] for names in lists]
    found = {name: SwapEntry(name.title(), "untouched", BOTH) for name in both}
    for pair in zip(*left, strict=False):
        for name, other in (pair, pair[::-1]):
            is_sure = doubtful is not None and name not in doubtful
            found[name] = SwapEntry(other.title()) if is_sure else _unsure(other)
    return found


def _unsure(new: str) -> SwapEntry:
    return SwapEntry(new.title(), "ambiguous", NOT_SURE)


@cache
def _english_gender() -> SwapTable:
    path = files("unslant.concepts") / "data" / "swaps" / "gender.toml"
    return table_from(tomllib.loads(path.read_text(encoding="utf-8")))


def table_from(content: Mapping[str, Any]) -> SwapTable:
    """The table in a file of the package; a word that it names twice is an error."""
    words: dict[str, SwapEntry] = {}
    for word, entry in _entries(content):
        if word.lower() in words:
            raise ConceptError(f'The swap table names "{word}" twice.')
        words[word.lower()] = entry
    names: dict[str, SwapEntry] = {}
    first_names = {one.lower() for one, _ in content["names"]["rows"]}
    for one, other in content["names"]["rows"]:
        names |= {one.lower(): SwapEntry(other), other.lower(): SwapEntry(one)}
    for pair in content["names"]["lists"]:
        lists = [wordlist(reference).words for reference in pair]
        first_names |= set(lists[0])
        names |= _names_by_order(*lists, known=names)
    for name in content["names"]["short-forms"]:
        names.setdefault(name, _unsure(name))
    phrases = frozenset(tuple(text.split(" ")) for text in content["phrases"]["ambiguous"])
    first, second = content["groups"]
    words_too = frozenset(content["names"]["words-too"] + content["names"]["short-forms"])
    return SwapTable(
        (first, second),
        words,
        names,
        phrases,
        has_pronouns=True,
        first_group=frozenset(first_names),
        first_words=_first_words(content),
        words_too=words_too,
    )


def _first_words(content: Mapping[str, Any]) -> frozenset[str]:
    """The words of the first group of English gender, those that rules swap too."""
    first = content["groups"][0]
    one_way = [part for part in content["one-way"] if part["group"] == first]
    rows = [row for part in (*content["pairs"], *one_way) for row in part["rows"]]
    return frozenset({one.lower() for one, _ in rows} | {"her", "hers", "miss"})


def _entries(content: Mapping[str, Any]) -> Iterator[tuple[str, SwapEntry]]:
    for part in content["pairs"]:
        reason = part.get("reason", "")
        for one, other in part["rows"]:
            for group, word, new in (("female", one, other), ("male", other, one)):
                status = part.get(group, "certain")
                if status == "kept":
                    yield word, SwapEntry(word, "untouched", reason)
                else:
                    yield word, SwapEntry(new, status, reason if status != "certain" else "")
    for part in content["one-way"]:
        for word, new in part["rows"]:
            yield word, SwapEntry(new, "ambiguous", part["reason"])
    for part in content["kept"]:
        for word in part["words"]:
            yield word, SwapEntry(word, part["status"], part["reason"])
