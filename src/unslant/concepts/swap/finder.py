"""Finds the group words of a text and what each becomes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unslant.concepts.swap.names import swapped_name
from unslant.concepts.swap.pronouns import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    SWAPPED_PRONOUNS,
    swapped_pronoun,
    word_set,
)
from unslant.concepts.swap.table import SwapEntry, SwapTable
from unslant.concepts.swap.tokens import SwappedWord, TokenPlace, tokens_of, without_clitic

# A word in the casing of another.


def cased_like(word: str, model: str) -> str:
    """``word`` in small letters, with a capital, or in capitals, as ``model`` is.

    A word that is always capitalised, such as a name, loses its capital only next to lower case.

    >>> [cased_like("woman", model) for model in ("man", "Man", "MAN")]
    ['woman', 'Woman', 'WOMAN']
    """
    if model.islower():
        return word.lower()
    if model.isupper() and sum(map(str.isalpha, model)) > 1:
        return word.upper()
    return word[:1].upper() + word[1:]


# Words with hyphens: which of their parts are swapped.

_PREFIXES = word_set("""
    baby co elder ex foster four god grand great half little mid non now old post pre soon-to-be
    step teen teenage then three twin two would-be young
""")
COMPOUND = "part of a word with a hyphen"


def is_sure_part(parts: Sequence[str], place: int, known: Sequence[bool]) -> bool | None:
    """Whether a group word that is one part of a word is surely swapped; None if it is kept.

    >>> is_sure_part(["ex", "wife"], 1, [False, True])
    True
    >>> is_sure_part(["fisher", "man"], 1, [False, True])
    False
    >>> is_sure_part(["man", "made"], 0, [True, False]) is None
    True
    """
    if all(known) or (place == 0 and list(parts[1:2]) == ["in"] and parts[-1] in ("law", "laws")):
        return True
    if place < len(parts) - 1:
        return None
    return all(part in _PREFIXES for part in parts[:-1])


# Possessive endings, which depend on the word: the ladies' rooms, the gentlemen's rooms.

_OPEN_QUOTE = re.compile(r"(?:^|[\s(])['‘](?=\S)|‘")


def with_possessive(old: str, new: str, clitic: str) -> tuple[str, str] | None:
    """A plural and its counterpart with the ending of each, if the two endings differ.

    >>> with_possessive("gentlemen", "ladies", "'s")
    ("gentlemen's", "ladies'")
    >>> with_possessive("men", "women", "'s") is None
    True
    """
    if clitic[1:].lower() != "s" or not old.lower().endswith("men") or new[-1:].lower() != "s":
        return None
    return old + clitic, new + clitic[0]


def with_apostrophe(old: str, new: str, text: str, end: int) -> tuple[str, str, bool] | None:
    """The same for a word that ends in s and an apostrophe, and whether that is surely one.

    In a text with single quotation marks the apostrophe may close a quotation.
    """
    sign = text[end : end + 1]
    is_bare = sign in ("'", "’") and not text[end + 1 : end + 2].isalpha()
    if not sign or not is_bare or old[-1:].lower() != "s" or new[-1:].lower() == "s":
        return None
    ending = "S" if new.isupper() else "s"
    return old + sign, f"{new}{sign}{ending}", not _OPEN_QUOTE.search(text, 0, end)


def has_cut_ending(old: str, new: str, following: str) -> bool:
    """Whether the token that follows is a possessive ending that does not fit the new word."""
    if following in ("'s", "’s"):
        return old.lower().endswith("men") and new[-1:].lower() == "s"
    return following in ("'", "’") and old[-1:].lower() == "s" and new[-1:].lower() != "s"


# Group words that mean something else next to certain words: titles, verbs, fixed phrases.

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


def by_sense(word: str, entry: SwapEntry, place: TokenPlace) -> SwapEntry:
    """The entry of a word, less sure if its neighbours suggest another sense."""
    if entry.status != "certain":
        return entry
    if reason := _doubt(word, entry.new, place):
        return SwapEntry(entry.new, "ambiguous", reason)
    return entry


def _doubt(word: str, new: str, place: TokenPlace) -> str:
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


def _is_bare(place: TokenPlace) -> bool:
    """Whether "man" has no determiner before it, also not before an adjective."""
    for distance in (-1, -2, -3, -4):
        token = place.at(distance)
        if token is None or not token.is_word:
            return True
        if place.lower(distance) in _BEFORE_PERSON or "'" in token.lower:
            return False
    return True


def _is_caption(place: TokenPlace) -> bool:
    """Whether what follows describes one person: "man wearing …", "man with a …"."""
    after, then = place.lower(1), place.lower(2)
    return (len(after) > 4 and after.endswith("ing")) or (after in PREPOSITIONS and then == "a")


def miss(place: TokenPlace) -> SwapEntry:
    """Miss: a title, a form of address or a verb."""
    before = place.lower(-1)
    if place.is_capitalised(0) and place.is_capitalised(1):
        return SwapEntry("Mr.", "ambiguous", TITLE)
    if before in _BEFORE_VERB | AUXILIARIES | {"i", "you", "we", "they", "not", "never", "n't"}:
        return SwapEntry("miss", "untouched", "a verb")
    if before == "," or place.is_capitalised(0):
        return SwapEntry("sir", "ambiguous", SENSE)
    return SwapEntry("miss", "ambiguous", VERB)


def sir_or_lady(word: str, entry: SwapEntry, place: TokenPlace) -> SwapEntry:
    """Sir and Lady before a name are titles, whose counterparts are Lady and Lord."""
    if place.is_capitalised(0) and place.is_capitalised(1) and not place.token.text.isupper():
        return SwapEntry("Lady" if word == "sir" else "Lord", "ambiguous", TITLE)
    if word == "lady" and place.lower(-1) == "my":
        return SwapEntry("lord", "ambiguous", SENSE)
    return entry


PHRASE = "part of a fixed phrase"
BOTH = "stands for both groups already"
QUOTE = "its possessive ending is not clear"


@dataclass(frozen=True)
class Finder:
    """The words of a table in texts, with first names if ``names``."""

    table: SwapTable
    names: bool

    def words_of(self, text: str) -> Iterator[SwappedWord]:
        """Every group word of a text, in order."""
        tokens = tokens_of(text)
        for index, token in enumerate(tokens):
            if token.is_word:
                yield from self._in_token(TokenPlace(tokens, index, text))

    def _in_token(self, place: TokenPlace) -> Iterator[SwappedWord]:
        token = place.token
        if entry := self._entry(token.lower, place):
            yield self._word(place, token.text, "", entry)
            return
        base, clitic = without_clitic(token.text)
        if clitic and (entry := self._entry(base.lower(), place)):
            yield self._word(place, base, clitic, entry)
        elif "-" in base:
            yield from self._in_parts(base, place)

    def _word(self, place: TokenPlace, old: str, clitic: str, entry: SwapEntry) -> SwappedWord:
        start, status, reason = place.token.start, entry.status, entry.reason
        new = old if entry.new.lower() == old.lower() else cased_like(entry.new, old)
        if new != old and clitic and (both := with_possessive(old, new, clitic)):
            old, new = both
        elif new != old and not clitic:
            found = with_apostrophe(old, new, place.text, place.token.end)
            following = place.at(1)
            is_sure = following is None or not has_cut_ending(old, new, following.text)
            if found:
                old, new, is_sure = found
            if not is_sure and status == "certain":
                status, reason = "ambiguous", QUOTE
        return SwappedWord(start, start + len(old), old, new, status, reason)

    def _entry(self, word: str, place: TokenPlace) -> SwapEntry | None:
        """The replacement of a word at a position; None if it is not a group word there."""
        table = self.table
        if table.has_pronouns:
            if word in SWAPPED_PRONOUNS:
                return by_sense(word, swapped_pronoun(word, place), place)
            if word == "miss":
                return miss(place)
        if entry := table.words.get(word):
            return self._by_neighbours(word, entry, place)
        if self.names and (name := table.names.get(word)):
            return swapped_name(word, name, place, table)
        return None

    def _by_neighbours(self, word: str, entry: SwapEntry, place: TokenPlace) -> SwapEntry:
        table = self.table
        before, after = place.lower(-1), place.lower(1)
        if entry.status != "untouched" and (
            (before, word) in table.phrases or (word, after) in table.phrases
        ):
            return SwapEntry(entry.new, "ambiguous", PHRASE)
        if not table.has_pronouns:
            return entry
        if word in ("he", "she") and _is_both(place):
            return SwapEntry(word, "untouched", BOTH)
        if word in ("sir", "lady"):
            entry = sir_or_lady(word, entry, place)
        return by_sense(word, entry, place)

    def _in_parts(self, base: str, place: TokenPlace) -> Iterator[SwappedWord]:
        """The group words among the parts of a word with hyphens."""
        parts = base.split("-")
        lower = [part.lower() for part in parts]
        entries = [self._part(part) for part in lower]
        start = place.token.start
        for index, (part, entry) in enumerate(zip(parts, entries, strict=True)):
            if entry:
                is_sure = is_sure_part(lower, index, [item is not None for item in entries])
                new = part if is_sure is None else cased_like(entry.new, part)
                status, reason = entry.status, entry.reason
                if not is_sure and status == "certain":
                    status, reason = "ambiguous", COMPOUND
                yield SwappedWord(start, start + len(part), part, new, status, reason)
            start += len(part) + 1

    def _part(self, word: str) -> SwapEntry | None:
        if word in SWAPPED_PRONOUNS and self.table.has_pronouns:
            return SwapEntry(word, "ambiguous", COMPOUND)
        if self.names and (name := self.table.names.get(word)) and name.status == "certain":
            return SwapEntry(name.new, "ambiguous", COMPOUND)
        return self.table.words.get(word)


def _is_both(place: TokenPlace) -> bool:
    """Whether he or she belongs to s/he or (s)he."""
    before = place.text[max(0, place.token.start - 3) : place.token.start].lower()
    return before == "(s)" or before[-2:] == "s/"
