"""Finds the group words of a text and what each becomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from unslant.concepts.swap.casing import cased_like
from unslant.concepts.swap.endings import has_cut_ending, with_apostrophe, with_possessive
from unslant.concepts.swap.hyphens import COMPOUND, is_sure_part
from unslant.concepts.swap.names import swapped_name
from unslant.concepts.swap.pronouns import PRONOUNS, swapped_pronoun
from unslant.concepts.swap.result import SwappedWord
from unslant.concepts.swap.senses import by_sense, miss, sir_or_lady
from unslant.concepts.swap.table import Entry, Table
from unslant.concepts.swap.tokens import Place, tokens_of, without_clitic

PHRASE = "part of a fixed phrase"
BOTH = "stands for both groups already"
QUOTE = "its possessive ending is not clear"


@dataclass(frozen=True)
class Finder:
    """The words of a table in texts, with first names if ``names``."""

    table: Table
    names: bool

    def words_of(self, text: str) -> Iterator[SwappedWord]:
        """Every group word of a text, in order."""
        tokens = tokens_of(text)
        for index, token in enumerate(tokens):
            if token.is_word:
                yield from self._in_token(Place(tokens, index, text))

    def _in_token(self, place: Place) -> Iterator[SwappedWord]:
        token = place.token
        if entry := self._entry(token.lower, place):
            yield self._word(place, token.text, "", entry)
            return
        base, clitic = without_clitic(token.text)
        if clitic and (entry := self._entry(base.lower(), place)):
            yield self._word(place, base, clitic, entry)
        elif "-" in base:
            yield from self._in_parts(base, place)

    def _word(self, place: Place, old: str, clitic: str, entry: Entry) -> SwappedWord:
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

    def _entry(self, word: str, place: Place) -> Entry | None:
        """What a word becomes at a place; None if it is not a group word there."""
        table = self.table
        if table.has_pronouns:
            if word in PRONOUNS:
                return by_sense(word, swapped_pronoun(word, place), place)
            if word == "miss":
                return miss(place)
        if entry := table.words.get(word):
            return self._by_neighbours(word, entry, place)
        if self.names and (name := table.names.get(word)):
            return swapped_name(word, name, place, table)
        return None

    def _by_neighbours(self, word: str, entry: Entry, place: Place) -> Entry:
        table = self.table
        before, after = place.lower(-1), place.lower(1)
        if entry.status != "untouched" and (
            (before, word) in table.phrases or (word, after) in table.phrases
        ):
            return Entry(entry.new, "ambiguous", PHRASE)
        if not table.has_pronouns:
            return entry
        if word in ("he", "she") and _is_both(place):
            return Entry(word, "untouched", BOTH)
        if word in ("sir", "lady"):
            entry = sir_or_lady(word, entry, place)
        return by_sense(word, entry, place)

    def _in_parts(self, base: str, place: Place) -> Iterator[SwappedWord]:
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

    def _part(self, word: str) -> Entry | None:
        if word in PRONOUNS and self.table.has_pronouns:
            return Entry(word, "ambiguous", COMPOUND)
        if self.names and (name := self.table.names.get(word)) and name.status == "certain":
            return Entry(name.new, "ambiguous", COMPOUND)
        return self.table.words.get(word)


def _is_both(place: Place) -> bool:
    """Whether he or she belongs to s/he or (s)he."""
    before = place.text[max(0, place.token.start - 3) : place.token.start].lower()
    return before == "(s)" or before[-2:] == "s/"
