"""First names: swapped where they are likely first names, and certain only where nothing speaks
against it."""

from unslant.concepts.swap.cues import DETERMINERS, PRONOUNS
from unslant.concepts.swap.table import Entry, Table
from unslant.concepts.swap.tokens import Place, without_clitic

_FEMALE_TITLES = frozenset({"mrs", "ms", "miss", "madame", "mademoiselle", "signora", "frau"})
_MALE_TITLES = frozenset({"mr", "mister", "monsieur", "signor", "herr"})
_SURNAME_TITLES = frozenset({"dr", "doctor", "prof", "professor", "captain", "capt"})
_SURNAME_TITLES |= {"colonel", "col", "major", "general", "judge", "senator", "president", "squire"}
_SURNAME_TITLES |= {"lieutenant", "sergeant", "reverend", "rev", "detective", "officer", "inspector"}
_PLACES_BEFORE = frozenset({"st", "saint", "mount", "mt", "lake", "port", "fort", "new", "san"})
_PLACES_BEFORE |= {"santa", "the", "a", "an", "north", "south", "east", "west", "sts", "s"}
_PLACES_AFTER = frozenset(
    """street st avenue road lane square park bay beach city county river island islands hall
    house hotel college university school station bridge hill hills court church cathedral
    hospital lake mountain mountains town village museum palace gardens gate inn castle prize
    award trophy day""".split()
)
_BEFORE_FIRST_NAME = frozenset("aunt uncle cousin dear little old young poor".split())
_TITLES = frozenset(
    """king queen prince princess sir lady lord dame sister brother father mother master duke
    duchess baron baroness""".split()
)

SURNAME = "a surname here"
MAYBE_NAME = "may be a surname, a place or part of a title"
SMALL = "a name in small letters"


def swapped_name(name: str, entry: Entry, place: Place, table: Table) -> Entry | None:
    """What a name becomes at a place; None if the word is hardly a name there."""
    if entry.status == "untouched":
        return entry if place.is_capitalised(0) else None
    if not place.is_capitalised(0):
        is_sure = entry.status == "certain" and name not in table.words_too
        return Entry(entry.new, "ambiguous", SMALL) if is_sure else None
    before = _before(place)
    if before in _FEMALE_TITLES | _MALE_TITLES | _SURNAME_TITLES:
        return _after_title(name, entry, before, place, table)
    if before in table.names and before not in table.words and place.is_capitalised(-1):
        return Entry(name, "ambiguous", MAYBE_NAME)
    if name in table.words_too:
        if place.begins_sentence and place.lower(1) in DETERMINERS | PRONOUNS:
            return None  # the verb or noun, as in "Will you …" or "May the …"
        return Entry(name, "ambiguous", entry.reason or MAYBE_NAME)
    if entry.status == "certain" and (reason := _doubt(before, place)):
        return Entry(entry.new, "ambiguous", reason)
    return entry


def _after_title(name: str, entry: Entry, title: str, place: Place, table: Table) -> Entry:
    """A name after a title: a surname if it is the other group's first name, or else unclear.

    Before another name it is a first name, as in "Mr. John Carey".
    """
    is_female = name in table.first_group
    if title in (_MALE_TITLES if is_female else _FEMALE_TITLES):
        return Entry(name, "untouched", SURNAME)
    is_first = place.is_capitalised(1) and name not in table.words_too
    if is_first and without_clitic(place.token.text)[1] == "":
        return entry
    return Entry(name, "ambiguous", MAYBE_NAME)


def _before(place: Place) -> str:
    """The word before, beyond the full stop of an abbreviation."""
    before = place.lower(-1)
    return place.lower(-2) if before == "." and len(place.lower(-2)) < 5 else before


def _doubt(before: str, place: Place) -> str:
    if before in _PLACES_BEFORE or (len(before) == 1 and before.isalpha() and before != "i"):
        return MAYBE_NAME
    if place.is_capitalised(-1) and not place.token.text.isupper():
        begins = Place(place.tokens, place.index - 1, place.text).begins_sentence
        if before in _TITLES or not (before in _BEFORE_FIRST_NAME or begins):
            return MAYBE_NAME
    if place.is_capitalised(1) and not place.token.text.isupper():
        has_ending = "'" in place.token.lower or "’" in place.token.text
        if place.lower(1) in _PLACES_AFTER or has_ending:
            return MAYBE_NAME
    if place.lower(1) in _PLACES_AFTER or place.lower(1) in ("&", "-"):
        return MAYBE_NAME
    return ""
