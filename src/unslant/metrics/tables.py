"""Tables of words found in a space, with an account of every word."""

from collections.abc import Sequence

import numpy as np

from unslant.concepts import WordPolicy
from unslant.concepts.vocabulary import Rows
from unslant.core.errors import MissingWordsError
from unslant.core.measurement import WordUse
from unslant.vectors import Space


def whole_rows(
    space: Space, name: str, table: Sequence[Sequence[str]], policy: WordPolicy
) -> tuple[Rows, list[list[str]], WordUse]:
    """Which rows of a table have all their words, those as the space spells them, and the account.

    Words that occur only in incomplete rows are set aside.
    """
    words = list(dict.fromkeys(word for row in table for word in row))
    found = space.lookup(words, policy.case)
    if found.missing and policy.missing == "fail":
        raise MissingWordsError({name: found.missing}, space.name)
    form_of = dict(zip(found.words, found.forms, strict=True))
    places = [place for place, row in enumerate(table) if all(word in form_of for word in row)]
    used = dict.fromkeys(word for place in places for word in table[place])
    use = WordUse(
        set=name,
        used=tuple(used),
        missing=found.missing,
        set_aside=tuple(word for word in found.words if word not in used),
    )
    forms = [[form_of[word] for word in table[place]] for place in places]
    return np.array(places, np.int64), forms, use
