"""Tables of words found in vectors, with an account of every word."""

from collections.abc import Sequence

import numpy as np

from unslant.concepts import WordPolicy
from unslant.concepts.vocabulary import Rows
from unslant.core.errors import MissingWordsError
from unslant.core.measurement import WordUse
from unslant.vectors import WordVectors


def whole_rows(
    vectors: WordVectors, name: str, table: Sequence[Sequence[str]], policy: WordPolicy
) -> tuple[Rows, Rows, WordUse]:
    """Which rows of a table have all their words, the words' numbers, and the account.

    Words that occur only in incomplete rows are set aside.
    """
    words = list(dict.fromkeys(word for row in table for word in row))
    found = vectors.lookup(words, policy.case)
    if found.missing and policy.missing == "fail":
        raise MissingWordsError({name: found.missing}, vectors.name)
    row_of = dict(zip(found.words, found.rows.tolist(), strict=True))
    places = [place for place, row in enumerate(table) if all(word in row_of for word in row)]
    numbers = [[row_of[word] for word in table[place]] for place in places]
    used = dict.fromkeys(word for place in places for word in table[place])
    use = WordUse(
        set=name,
        used=tuple(used),
        missing=found.missing,
        set_aside=tuple(word for word in found.words if word not in used),
    )
    width = len(table[0]) if table else 0
    return np.array(places, np.int64), np.array(numbers, np.int64).reshape(-1, width), use
