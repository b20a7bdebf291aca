"""First names: swapped where they are likely first names, and certain only where nothing speaks
against it."""

from unslant.concepts.swap.pronouns import DETERMINERS, PRONOUNS, word_set
from unslant.concepts.swap.table import SwapEntry, SwapTable
from unslant.concepts.swap.tokens import TokenPlace, without_clitic

_FEMALE_TITLES = word_set("frau madame mademoiselle miss mrs ms signora")
_MALE_TITLES = word_set("herr mister monsieur mr signor")
_OTHER_TITLES = word_set("""
    capt captain col colonel detective doctor dr general inspector judge lieutenant major officer
    president prof professor rev reverend senator sergeant squire
""")
_PLACES_BEFORE = word_set("""
    a an east fort lake mount mt new north port s saint san santa south st sts the west
""")
_PLACES_AFTER = word_set("""
    avenue award bay beach bridge castle cathedral church city college county court day gardens
    gate hall hill hills hospital hotel house inn island islands lake lane mountain mountains
    museum palace park prize river road school square st station street town trophy university
    village
""")
_BEFORE_FIRST_NAME = word_set("aunt uncle cousin dear little old young poor")
_TITLES = word_set("""
    baron baroness brother dame duchess duke father king lady lord master mother prince princess
    queen sir sister
""")

SURNAME = "a surname here"
MAYBE_NAME = "may be a surname, a place or part of a title"
SMALL = "a name in small letters"


def swapped_name(
    name: str, entry: SwapEntry, place: TokenPlace, table: SwapTable
) -> SwapEntry | None:
    """The replacement of a name at a position; None if the word is unlikely to be a name there."""
    if entry.status == "untouched":
        return entry if place.is_capitalised(0) else None
    if not place.is_capitalised(0):
        is_sure = entry.status == "certain" and name not in table.words_too
        return SwapEntry(entry.new, "ambiguous", SMALL) if is_sure else None
    before = _before(place)
    if before in _FEMALE_TITLES | _MALE_TITLES | _OTHER_TITLES:
        return _after_title(name, entry, before, place, table)
    if before in table.names and before not in table.words and place.is_capitalised(-1):
        return SwapEntry(name, "ambiguous", MAYBE_NAME)
    if name in table.words_too and entry.status != "certain":
        if place.begins_sentence and place.lower(1) in DETERMINERS | PRONOUNS:
            return None  # the verb or noun, as in "Will you …" or "May the …"
        return SwapEntry(name, "ambiguous", entry.reason or MAYBE_NAME)
    if entry.status == "certain" and (reason := _doubt(before, place)):
        return SwapEntry(entry.new, "ambiguous", reason)
    return entry


def _after_title(
    name: str, entry: SwapEntry, title: str, place: TokenPlace, table: SwapTable
) -> SwapEntry:
    """A name after a title: a surname if it is the other group's first name, or else unclear.

    Before another name it is a first name, as in "Mr. John Carey".
    """
    other = _MALE_TITLES if name in table.first_group else _FEMALE_TITLES
    if table.has_pronouns and title in other:
        return SwapEntry(name, "untouched", SURNAME)
    is_first = place.is_capitalised(1) and name not in table.words_too
    if is_first and without_clitic(place.token.text)[1] == "":
        return entry
    return SwapEntry(name, "ambiguous", MAYBE_NAME)


def _before(place: TokenPlace) -> str:
    """The word before, beyond the full stop of an abbreviation."""
    before = place.lower(-1)
    return place.lower(-2) if before == "." and len(place.lower(-2)) < 5 else before


def _doubt(before: str, place: TokenPlace) -> str:
    if before in _PLACES_BEFORE or (len(before) == 1 and before.isalpha() and before != "i"):
        return MAYBE_NAME
    if place.is_capitalised(-1) and not place.token.text.isupper():
        begins = TokenPlace(place.tokens, place.index - 1, place.text).begins_sentence
        if before in _TITLES or not (before in _BEFORE_FIRST_NAME or begins):
            return MAYBE_NAME
    if place.is_capitalised(1) and not place.token.text.isupper():
        has_ending = "'" in place.token.lower or "’" in place.token.text
        if place.lower(1) in _PLACES_AFTER or has_ending:
            return MAYBE_NAME
    if place.lower(1) in _PLACES_AFTER or place.lower(1) in ("&", "-"):
        return MAYBE_NAME
    return ""
