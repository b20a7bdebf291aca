"""Where the words that someone names stand in a list."""

from collections.abc import Sequence

from unslant.core.errors import UnknownNameError


def places_of(wanted: Sequence[str] | None, words: Sequence[str], kind: str) -> list[int]:
    """Where these words stand, in any case of letters; all places where none is named.

    >>> places_of(["IRAQI"], ["dutch", "Iraqi"], "nation")
    [1]
    """
    if not wanted:
        return list(range(len(words)))
    folded = [word.casefold() for word in words]
    for word in wanted:
        if word.casefold() not in folded:
            raise UnknownNameError(kind, word, set(words))
    asked = {word.casefold() for word in wanted}
    return [place for place, word in enumerate(folded) if word in asked]
