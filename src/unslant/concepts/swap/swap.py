"""The swap of one text: every group word by its counterpart, everything else as it was."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unslant.concepts.read import GivenConcept, concept
from unslant.concepts.swap.edits import Edit, applied, back_at, edits_of
from unslant.concepts.swap.finder import Finder
from unslant.concepts.swap.result import Status, Swapped, SwappedTokens, SwappedWord
from unslant.concepts.swap.table import Table, table_of

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
    table: Table
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
        if all(word.status != "ambiguous" for word in checked):  # an article, or a word made anew
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
