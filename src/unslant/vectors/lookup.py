"""Find words under a declared case policy, and report what was not found.

Nothing assumes that a word has case or is free of spaces. After the spelling that was asked for
come, in this order: the same text in Unicode's composed and decomposed forms (NFC, NFD), under
every policy; several words joined by underscores, as vectors of phrases write them; and the other
cases of the policy, each again in these forms. The spelling that was found is reported.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.vectors.space import Found
from unslant.vectors.vocabulary import Vocabulary

Form = Callable[[str], str]


def turkish_lower(word: str) -> str:
    """The word in lower case by the rules of Turkish: I is ı, and İ is i.

    >>> turkish_lower("IŞIK"), turkish_lower("İstanbul"), "İ".lower() == "i\u0307"
    ('ışık', 'istanbul', True)
    """
    return word.replace("İ", "i").replace("I\u0307", "i").replace("I", "ı").lower()


CASE_POLICIES: dict[str, tuple[Form, ...]] = {
    "exact": (),
    "lower": (str.lower, turkish_lower),
    "any": (str.lower, turkish_lower, str.title, str.upper),
}
"""After the exact form, the forms that each policy tries, in this order."""


def spellings(word: str, case: str) -> list[str]:
    """The spellings that count as a word, in the order in which they are tried.

    >>> spellings("Rosa Luxemburg", "lower")
    ['Rosa Luxemburg', 'Rosa_Luxemburg', 'rosa luxemburg', 'rosa_luxemburg']
    >>> spellings("女性", "any")
    ['女性']
    """
    found = [word, *(form(word) for form in CASE_POLICIES[case])]
    if not word.isascii():
        found = [form for text in found for form in (text, *_equivalents(text))]
    if case != "exact" and " " in word:
        found = [form for text in found for form in (text, "_".join(text.split()))]
    return list(dict.fromkeys(found))


def _equivalents(text: str) -> tuple[str, str]:
    """The same text in the composed and the decomposed form."""
    return unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


@dataclass(frozen=True)
class FoundWords(Found):
    """Words that a vocabulary has, with the row of each."""

    rows: NDArray[np.int64]


def find(vocabulary: Vocabulary, words: Sequence[str], case: str) -> FoundWords:
    """Look up each word by its exact form, then by the other spellings that count."""
    if case not in CASE_POLICIES:
        raise UnknownNameError("case policy", case, CASE_POLICIES)
    rows = vocabulary.rows_of(words)
    forms = list(words)
    absent = np.flatnonzero(rows < 0).tolist()
    to_try = {number: spellings(words[number], case)[:0:-1] for number in absent}
    while absent := [number for number in absent if rows[number] < 0 and to_try[number]]:
        other = [to_try[number].pop() for number in absent]
        for number, spelling, row in zip(absent, other, vocabulary.rows_of(other), strict=True):
            if row >= 0:
                rows[number], forms[number] = row, spelling
    there = np.flatnonzero(rows >= 0).tolist()
    return FoundWords(
        words=tuple(words[number] for number in there),
        forms=tuple(forms[number] for number in there),
        rows=rows[there],
        missing=tuple(words[number] for number in np.flatnonzero(rows < 0).tolist()),
    )
