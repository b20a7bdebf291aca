"""Find words under a declared case policy, and report what was not found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnknownNameError
from unslant.vectors.space import Found
from unslant.vectors.vocabulary import Vocabulary

Form = Callable[[str], str]

CASE_POLICIES: dict[str, tuple[Form, ...]] = {
    "exact": (),
    "lower": (str.lower,),
    "any": (str.lower, str.title, str.upper),
}
"""After the exact form, the forms that each policy tries, in this order."""


@dataclass(frozen=True)
class FoundWords(Found):
    """Words that a vocabulary has, with the row of each."""

    rows: NDArray[np.int64]


def find(vocabulary: Vocabulary, words: Sequence[str], case: str) -> FoundWords:
    """Look up each word by its exact form, then by the forms of the case policy."""
    if case not in CASE_POLICIES:
        raise UnknownNameError("case policy", case, CASE_POLICIES)
    rows = vocabulary.rows_of(words)
    forms = list(words)
    for form in CASE_POLICIES[case]:
        absent = np.flatnonzero(rows < 0).tolist()
        if not absent:
            break
        other = [form(words[number]) for number in absent]
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
