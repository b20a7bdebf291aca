"""First names: swapped where they are likely first names, and certain only where nothing speaks
against it."""

from unslant.concepts.swap.table import Entry, Table
from unslant.concepts.swap.tokens import Place

_SURNAME_TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "professor", "captain", "capt"})
_SURNAME_TITLES |= {"colonel", "col", "major", "general", "judge", "senator", "president", "squire"}
_SURNAME_TITLES |= {"lieutenant", "sergeant", "reverend", "rev", "detective", "officer", "inspector"}
_PLACES_BEFORE = frozenset({"st", "saint", "mount", "mt", "lake", "port", "fort", "new", "san"})
_PLACES_BEFORE |= {"santa", "the", "a", "an", "north", "south", "east", "west", "sts"}
_PLACES_AFTER = frozenset(
    """street st avenue road lane square park bay beach city county river island islands hall
    house hotel college university school station bridge hill hills court church cathedral
    hospital lake mountain mountains town village museum palace gardens gate inn castle prize
    award trophy day""".split()
)
_BEFORE_FIRST_NAME = frozenset(
    """aunt uncle king queen prince princess sir lady lord miss sister brother father mother dame
    cousin dear little old young poor master""".split()
)

SURNAME = "a surname here"
MAYBE_NAME = "may be a surname, a place or part of a title"
SMALL = "a name in small letters"


def swapped_name(name: str, entry: Entry, place: Place, table: Table) -> Entry | None:
    """What a name becomes at a place; None if the word is hardly a name there."""
    if entry.status == "untouched":
        return entry if place.is_capitalised(0) else None
    if not place.is_capitalised(0):
        is_sure = entry.status == "certain" and name not in table.words and name not in _WORDS
        return Entry(entry.new, "ambiguous", SMALL) if is_sure else None
    before = _before(place)
    if before in _SURNAME_TITLES:
        return Entry(place.token.text, "untouched", SURNAME)
    if before == "miss":
        return Entry(place.token.text, "ambiguous", MAYBE_NAME)
    if before in table.names and before not in table.words and place.is_capitalised(-1):
        return Entry(place.token.text, "untouched", SURNAME)
    if entry.status != "certain":
        keeps = place.begins_sentence and name in _WORDS
        return Entry(name if keeps else entry.new, "ambiguous", entry.reason)
    if reason := _doubt(name, before, place):
        return Entry(entry.new, "ambiguous", reason)
    return entry


def _before(place: Place) -> str:
    """The word before, beyond the full stop of an abbreviation."""
    before = place.lower(-1)
    return place.lower(-2) if before == "." and len(place.lower(-2)) < 5 else before


def _doubt(name: str, before: str, place: Place) -> str:
    if before in _PLACES_BEFORE or name in _WORDS:
        return MAYBE_NAME
    if place.is_capitalised(-1) and not place.token.text.isupper():
        is_kin = before in _BEFORE_FIRST_NAME
        begins = Place(place.tokens, place.index - 1, place.text).begins_sentence
        if not is_kin and not begins:
            return MAYBE_NAME
    if place.is_capitalised(1) and not place.token.text.isupper():
        has_ending = "'" in place.token.lower or "’" in place.token.text
        if place.lower(1) in _PLACES_AFTER or has_ending:
            return MAYBE_NAME
    if place.lower(1) in _PLACES_AFTER or place.lower(1) in ("&", "-"):
        return MAYBE_NAME
    return ""


_WORDS = frozenset(
    """mark bob bobby will grace rose may faith hope joy grant chase miles jack dean art pat
    frank drew ray bill nick rob sue sally penny holly dick peter tom billy annie jenny nelly
    jimmy harry""".split()
)
