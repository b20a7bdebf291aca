"""The swap of one text: every group word by its counterpart, everything else as it was."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from unslant.concepts.read import GivenConcept, concept
from unslant.concepts.swap.finder import Finder
from unslant.concepts.swap.table import SwapTable, table_of
from unslant.concepts.swap.tokens import Status, Swapped, SwappedTokens, SwappedWord

# `a` or `an`, kept right when the word after it changes.

_CONSONANT_SOUND = re.compile(
    r"(eu|ew|uni(?!n|m)|u[bkst][aeiu]|uti|ura|uro|one\b|once|ou[ij])", re.IGNORECASE
)
_SILENT_H = re.compile(r"(heir|hour|honest|hono)", re.IGNORECASE)


def article_before(word: str) -> str:
    """The indefinite article that goes before a word, by its spelling.

    >>> [article_before(word) for word in ("actress", "hero", "heiress", "unicorn", "uncle")]
    ['an', 'a', 'an', 'a', 'an']
    """
    if _SILENT_H.match(word):
        return "an"
    return "an" if word[:1].lower() in "aeiou" and not _CONSONANT_SOUND.match(word) else "a"


def article_for(article: str, old: str, new: str) -> str:
    """The article of a text after ``old`` became ``new``: changed only if it was right before.

    >>> article_for("An", "Oliver", "Mary"), article_for("a", "king", "queen")
    ('A', 'a')
    """
    right, wanted = article_before(old), article_before(new)
    if right == wanted or article.lower() != right:
        return article
    if article.isupper() and (len(article) > 1 or new.isupper()):
        return wanted.upper()
    return wanted.capitalize() if article[0].isupper() else wanted


# Replacements in a text, and the articles that have to follow them.

_ARTICLE = re.compile(r"(?<![\w'’-])(an?)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Edit:
    """New text for the span between two positions."""

    start: int
    end: int
    new: str


def edits_of(text: str, words: Iterable[SwappedWord]) -> list[Edit]:
    """The edits that put the new words in, with a or an before them kept right."""
    edits = []
    for word in words:
        if not word.is_changed:
            continue
        found = _ARTICLE.search(text, max(0, word.start - 20), word.start)
        if found:
            new = article_for(found[1], word.old, word.new)
            if new != found[1]:
                edits.append(Edit(found.start(1), found.end(1), new))
        edits.append(Edit(word.start, word.end, word.new))
    return edits


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits, which are in order and do not overlap."""
    parts, end = [], 0
    for edit in edits:
        parts += [text[end : edit.start], edit.new]
        end = edit.end
    return "".join(parts) + text[end:]


def back_at(words: Sequence[SwappedWord], edits: Sequence[Edit]) -> list[int]:
    """The start of each word in the edited text."""
    places, moved, left = [], 0, list(edits)
    for word in words:
        while left and left[0].start < word.start:
            edit = left.pop(0)
            moved += len(edit.new) - (edit.end - edit.start)
        places.append(word.start + moved)
    return places


NOT_BACK = "the swap back would give another word"
_RANK: dict[Status | None, int] = {None: 0, "untouched": 1, "certain": 2, "ambiguous": 3}


@dataclass(frozen=True)
class Swap:
    """Swaps the words of two groups in English text.

    A word is certain only if the swap back returns it, so a text without an ambiguous word is its
    own double swap.

    >>> swap = swap_of("gender")
    >>> swap("She lost her keys, so the waitress gave them to him.").text
    'He lost his keys, so the waiter gave them to her.'
    """

    concept: str
    table: SwapTable
    names: bool = True

    def __call__(self, text: str) -> Swapped:
        """The text with the groups swapped, and every group word found in it."""
        words, edits = self._checked(text)
        return Swapped(applied(text, edits), tuple(words))

    def tokens(self, tokens: Sequence[str]) -> SwappedTokens:
        """The same for a text that is already cut into tokens: as many come back.

        >>> swap_of("gender").tokens(["An", "heiress", "and", "her", "niece", "."]).tokens
        ('An', 'heir', 'and', 'his', 'nephew', '.')
        """
        text = " ".join(tokens)
        words, edits = self._checked(text)
        new: list[str] = []
        statuses: list[Status | None] = []
        start = 0
        for token in tokens:
            end = start + len(token)
            inside = [edit for edit in edits if start <= edit.start < end]
            found = [word.status for word in words if start <= word.start < end]
            moved = [Edit(edit.start - start, edit.end - start, edit.new) for edit in inside]
            new.append(applied(token, moved))
            statuses.append(max(found, key=_RANK.__getitem__, default=None))
            start = end + 1
        return SwappedTokens(tuple(new), tuple(statuses))

    def _checked(self, text: str) -> tuple[list[SwappedWord], list[Edit]]:
        """The words and edits of a text; what the swap back does not return is ambiguous."""
        finder = Finder(self.table, self.names)
        words = list(finder.words_of(text))
        edits = edits_of(text, words)
        if not edits:
            return words, edits
        other = applied(text, edits)
        back = list(finder.words_of(other))
        if applied(other, edits_of(other, back)) == text:
            return words, edits
        given = {word.start: word.new for word in back}
        places = back_at(words, edits)
        checked = [
            replace(word, status="ambiguous", reason=NOT_BACK)
            if word.status == "certain" and given.get(place) != word.old
            else word
            for word, place in zip(words, places, strict=True)
        ]
        if all(word.status != "ambiguous" for word in checked):  # an article, or a new word
            checked = [
                replace(word, status="ambiguous", reason=NOT_BACK) if word.is_changed else word
                for word in checked
            ]
        return checked, edits


def swap_of(given: GivenConcept, names: bool = True) -> Swap:
    """The swap of a concept with two groups, given by name, path or itself.

    With ``names=False``, first names are left alone.
    """
    item = concept(given)
    return Swap(item.name, table_of(item), names)
