"""The role of her, his, him and hers in a sentence, from the words beside them.

Whether her is possessive (his) or an object (him), and whether his goes with a noun (her) or stands
alone (hers), is decided by hand-written rules about two neighbours on either side. If the rules
are not sure, the answer is their best guess.
"""

from dataclasses import dataclass

from unslant.concepts.swap import cues
from unslant.concepts.swap.table import Entry
from unslant.concepts.swap.tokens import Place

PRONOUNS = frozenset({"her", "his", "him", "hers"})
ROLE = "its role in the sentence is not clear"


@dataclass(frozen=True)
class Role:
    """Whether a noun follows that belongs to the pronoun, and how sure that is."""

    has_noun: bool
    is_sure: bool = True


def swapped_pronoun(word: str, place: Place) -> Entry:
    """What her, his, him or hers becomes at a place of a text."""
    if word in ("him", "hers"):
        return Entry("her" if word == "him" else "his")
    role = role_of_her(place) if word == "her" else role_of_his(place)
    forms = ("his", "him") if word == "her" else ("her", "hers")
    new = forms[0] if role.has_noun else forms[1]
    return Entry(new) if role.is_sure else Entry(new, "ambiguous", ROLE)


def role_of_her(place: Place) -> Role:
    """Possessive in "lost her keys", an object in "saw her there"."""
    before, after = place.lower(-1), place.lower(1)
    follower = place.at(1)
    if follower is None:
        return Role(False)
    if not follower.is_word:
        return _before_sign(place)
    if after in cues.HONOURS:
        return Role(True)
    if after in cues.AFTER_OBJECT:
        return Role(False, after not in _ALSO_NOUNS)
    ends = _ends_phrase(place, 2)
    if after.endswith("ly") and after not in _ADJECTIVES_IN_LY:
        return Role(not ends, ends and not place.is_capitalised(1))
    if after in cues.SOFT:
        return _before_soft(place, ends)
    if after.endswith("ing") and after not in _NOUNS_IN_ING:
        return Role(before not in cues.CAUSING and before not in cues.BESIDE, False)
    is_sure = _is_surely_noun(place, ends)
    return Role(is_sure or before not in cues.CAUSING, is_sure)


def _is_surely_noun(place: Place, ends: bool) -> bool:
    """Whether the word after her is a noun of hers, or an adjective before one."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    is_common = after in cues.KIN or after in cues.BODY
    if before in cues.NAMING and after in cues.KIN:
        return False
    if place.is_capitalised(1) and not place.tokens[place.index].text.isupper():
        return False
    if before in cues.TWO_OBJECTS:
        is_common |= after in cues.BELONGINGS and before not in cues.GIVING
        return is_common and then not in cues.AUXILIARIES
    if is_common or after in cues.BELONGINGS or place.begins_sentence:
        return True
    if before in cues.BESIDE or (before == "to" and place.lower(-2) in cues.SEEMING):
        return False
    if after.endswith("ed") or after in cues.PAST_FORMS:
        return False
    return not (ends and after.endswith(_ADJECTIVE_ENDINGS))


def role_of_his(place: Place) -> Role:
    """With a noun in "his keys", alone in "a friend of his"."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    follower = place.at(1)
    if follower is None:
        return Role(False)
    if not follower.is_word:
        if follower.text.isdigit():
            return Role(True)
        is_closing = follower.text in cues.SIGNS_AFTER_OBJECT
        is_plain = follower.text in ".,;:!?)" or (place.touches(1) and is_closing)
        return Role(not is_closing, is_plain)
    if after in ("and", "or"):
        return Role(then in ("her", "their", "my", "your", "our"), False)
    if after in cues.BARE_VERBS or after in ("every", "all", "both", "one"):
        return Role(True, after in ("every", "one"))
    if after in cues.AFTER_OBJECT:
        return Role(False, after not in _ALSO_NOUNS)
    if after in ("not", "now", "then", "still", "once", "too", "will", "can", "might", "so"):
        return Role(after not in ("too", "so"), False)
    if after in cues.ADVERBS or (after.endswith("ly") and after not in _ADJECTIVES_IN_LY):
        return Role(not _ends_phrase(place, 2), False)
    is_verb = after.endswith("ed") or after in cues.PAST_FORMS
    return Role(True, not (is_verb and before in ("of", ",", "", "and")))


def _before_sign(place: Place) -> Role:
    """A sign ends the phrase, unless it opens a quotation or a parenthesis."""
    sign = place.tokens[place.index + 1].text
    if sign.isdigit():
        return Role(True, False)
    if sign in "\"'" and not place.touches(1):
        return Role(True, False)
    return Role(sign in "“‘`", sign in cues.SIGNS_AFTER_OBJECT)


def _ends_phrase(place: Place, distance: int) -> bool:
    """Whether nothing that belongs to the words before can be so many places on."""
    token = place.at(distance)
    if token is None or token.text in cues.SIGNS_AFTER_OBJECT:
        return True
    return place.lower(distance) in cues.AFTER_OBJECT


def _before_soft(place: Place, ends: bool) -> Role:
    """Before a word that may follow both: sure only where a noun must come."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    if before in cues.ALWAYS_BEFORE_NOUN or place.begins_sentence:
        is_noun = after in cues.NOUNS and before != "and"
        is_adjective = after in cues.BEFORE_NOUN and not ends and then not in cues.TIMES
        return Role(True, is_noun or is_adjective)
    if after in cues.ADVERBS:
        return Role(False, False)
    has_noun = not (ends and before in cues.TWO_OBJECTS)
    return Role(has_noun or (after == "back" and before in cues.WITH_BACK), False)


_ADJECTIVE_ENDINGS = ("ible", "able", "ous", "ful", "less", "ic", "ive", "ant", "ent", "est", "ier")
# As in "her like", "her past" or "her near escape".
_ALSO_NOUNS = frozenset({"like", "past", "near", "say", "over", "down", "inside", "may"})
_ADJECTIVES_IN_LY = cues.word_set("""
    ally anomaly assembly belly bubbly bully comely costly cowardly cuddly curly daily deadly
    early earthly elderly family fatherly fly folly friendly ghostly heavenly holy homely homily
    jelly jolly kindly lily lively lonely lovely manly melancholy monthly motherly only panoply
    reply scholarly sickly silly stately ugly unruly weekly womanly woolly wooly worldly wrinkly
    yearly
""")
_NOUNS_IN_ING = cues.word_set("""
    bedding beginning building calling ceiling clothing darling dwelling earring evening feeling
    king living lodging meaning morning offspring ring sibling sling spring stocking string
    thing upbringing wedding wing
""")
