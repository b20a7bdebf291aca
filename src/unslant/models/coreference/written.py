"""How words are written, and where sentences end in text that does not say so."""

from collections.abc import Iterator, Sequence

_ENDS = frozenset({".", "!", "?", "...", "…"})
_CLOSING = frozenset({'"', "''", "'", "”", "’", ")", "]", "-RRB-", "-RSB-"})


def case_of(word: str, *, is_first: bool) -> int:
    """How a word is written, as a number below :data:`CASES` in the settings.

    Lower case, a capital at the start of a sentence or elsewhere, one or more capitals only,
    digits, punctuation, or anything else.

    >>> [case_of(word, is_first=False) for word in ("she", "Jane", "I", "NATO", "12", "?", "iPod")]
    [0, 2, 3, 4, 5, 6, 7]
    """
    if word.islower():
        return 0
    if word.isupper():
        return 3 if len(word) == 1 else 4
    if word[:1].isupper() and word[1:].islower():
        return 1 if is_first else 2
    if any(character.isdigit() for character in word):
        return 5
    return 7 if any(character.isalpha() for character in word) else 6


def split_sentences(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """A document as sentences: each ends with ., ! or ? and the quotes that close after it.

    >>> list(split_sentences("Go ! '' he said .".split()))
    [['Go', '!', "''"], ['he', 'said', '.']]
    """
    start, ended = 0, False
    for place, word in enumerate(words):
        if ended and word not in _ENDS and word not in _CLOSING:
            yield words[start:place]
            start, ended = place, False
        ended = ended or word in _ENDS
    if start < len(words):
        yield words[start:]
