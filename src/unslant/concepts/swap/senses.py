"""Group words that mean something else beside certain words: titles, verbs, fixed phrases."""

from unslant.concepts.swap.cues import AUXILIARIES, DETERMINERS, PREPOSITIONS, word_set
from unslant.concepts.swap.table import Entry
from unslant.concepts.swap.tokens import Place

_VERBS_TOO = frozenset({"man", "father", "mother", "husband", "groom", "king", "queen"})
_ALSO_VERB_FORMS = frozenset({"fathers", "mothers", "grooms", "widows"})
_BEFORE_VERB = frozenset({"to", "can", "will", "would", "must", "should", "could", "may", "might"})
_SUBJECTS = frozenset({"he", "she", "it", "who", "that", "which"})
_BEFORE_PERSON = DETERMINERS | frozenset({"her", "one", "two", "old", "young", "dear", "poor"})
_KIN_TITLES = word_set("""
    abbess abbot baron baroness brother duchess duke father king mother prince princess queen sister
""")

_ADDRESS = word_set("""
    aunt dad daddy father gentlemen grandad grandfather grandma grandmother grandpa granny
    ladies ladyship lordship madam mama mom mommy mother papa sir uncle
""")

PROPER = "may be part of a proper name"
SENSE = "may have another sense here"
TITLE = "a title before a name"
VERB = "may be a verb"
GENERIC = "may stand for all people"
DEITY = "a capital within a sentence: it may stand for a deity"


def by_sense(word: str, entry: Entry, place: Place) -> Entry:
    """The entry of a word, less sure if its neighbours suggest another sense."""
    if entry.status != "certain":
        return entry
    if reason := _doubt(word, entry.new, place):
        return Entry(entry.new, "ambiguous", reason)
    return entry


def _doubt(word: str, new: str, place: Place) -> str:
    before, after = place.lower(-1), place.lower(1)
    follows_name = place.is_capitalised(1) and not place.token.text.isupper()
    within = place.is_capitalised(0) and not place.begins_sentence
    if word in _VERBS_TOO and before in _BEFORE_VERB:
        return VERB
    if word in _ALSO_VERB_FORMS and (before in _SUBJECTS or after in DETERMINERS):
        return VERB
    if word == "groom" and (after in DETERMINERS or before.endswith("s")):
        return VERB
    if word == "man" and _is_bare(place) and not _is_caption(place):
        return GENERIC
    if word in ("he", "him", "his", "himself", "she", "her", "hers", "herself"):
        return DEITY if within and not place.token.text.isupper() else ""
    if word in _KIN_TITLES and place.is_capitalised(0) and follows_name:
        return TITLE
    if within and word not in _ADDRESS and not place.token.text.isupper():
        return PROPER if not new[:1].isupper() else ""
    if word == "madam" and before in ("a", "the"):
        return SENSE
    return ""


def _is_bare(place: Place) -> bool:
    """Whether "man" has no determiner before it, also not before an adjective."""
    for distance in (-1, -2, -3, -4):
        token = place.at(distance)
        if token is None or not token.is_word:
            return True
        if place.lower(distance) in _BEFORE_PERSON or "'" in token.lower:
            return False
    return True


def _is_caption(place: Place) -> bool:
    """Whether what follows describes one person: "man wearing …", "man with a …"."""
    after, then = place.lower(1), place.lower(2)
    return (len(after) > 4 and after.endswith("ing")) or (after in PREPOSITIONS and then == "a")


def miss(place: Place) -> Entry:
    """Miss: a title, a form of address or a verb."""
    before = place.lower(-1)
    if place.is_capitalised(0) and place.is_capitalised(1):
        return Entry("Mr.", "ambiguous", TITLE)
    if before in _BEFORE_VERB | AUXILIARIES | {"i", "you", "we", "they", "not", "never", "n't"}:
        return Entry("miss", "untouched", "a verb")
    if before == "," or place.is_capitalised(0):
        return Entry("sir", "ambiguous", SENSE)
    return Entry("miss", "ambiguous", VERB)


def sir_or_lady(word: str, entry: Entry, place: Place) -> Entry:
    """Sir and Lady before a name are titles, whose counterparts are Lady and Lord."""
    if place.is_capitalised(0) and place.is_capitalised(1) and not place.token.text.isupper():
        return Entry("Lady" if word == "sir" else "Lord", "ambiguous", TITLE)
    if word == "lady" and place.lower(-1) == "my":
        return Entry("lord", "ambiguous", SENSE)
    return entry
